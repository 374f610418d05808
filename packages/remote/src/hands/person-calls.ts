import type { CallOptions, Hands } from '@synapse/hands';
import { SynapseError, type CallResult } from '@synapse/protocol';
import * as z from 'zod';

const Selection = z.strictObject({ call: z.string().exactOptional(), session: z.string().exactOptional(), last: z.int().min(1).exactOptional() });

/** The id under which this machine recorded a remote call; undefined if it knows none. Brains choose their ids, and local ones could be the same. */
export type LocalId = (callId: string) => string | undefined;

type Run = (hands: Hands, selection: z.infer<typeof Selection>, options: CallOptions) => Promise<CallResult>;

/** Makes a result with JSON. Leaves out diffs and hashes: a brain must read a changed file to learn its content, if it is allowed to. */
const list = (tool: string, value: object): CallResult => {
  const data: unknown = JSON.parse(
    JSON.stringify(value, (key, field: unknown) => (key === 'diff' ? undefined : key === 'before' || key === 'after' ? null : field)),
  );
  const output = JSON.stringify(data);
  return {
    ok: true,
    output,
    content: [{ type: 'text', text: output }],
    data,
    meta: { callId: '', tool, durationMs: 0, summary: tool, completion: 'ok' },
  };
};

/** Methods of hands that a person calls locally and that are not tools of models. Grants name them like tools. */
const CALLS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['undo', async (hands, selection, options) => await hands.undo(selection, options)],
  ['plan_undo', async (hands, selection) => list('plan_undo', await hands.planUndo(selection))],
  [
    'changes',
    async (hands, { call, session }) =>
      list('changes', await hands.changes({ ...(call && { call }), ...(session && { session }) }, { diffs: false })),
  ],
]);

/** Runs a call of such a method; undefined if the name is a tool, also one of the machine's own. Rejects where the method does. */
export async function personCall(
  hands: Hands,
  name: string,
  args: unknown,
  options: CallOptions,
  localId: LocalId = () => undefined,
): Promise<CallResult | undefined> {
  const run = CALLS.get(name);
  if (run === undefined || hands.tools().some((tool) => tool.name === name)) return undefined;
  const read = Selection.safeParse(args);
  if (read.success) {
    const { call, ...rest } = read.data;
    return await run(hands, call === undefined ? rest : { ...rest, call: localId(call) ?? call }, options);
  }
  throw new SynapseError('invalid_arguments', `${name}: ${z.prettifyError(read.error)}`, { hint: 'It takes call, session or last.' });
}
