import * as z from 'zod';
import {
  auditedCalls,
  sessionEvidence,
  INSTRUCTION_FILES,
  OPERATOR_FILE,
  type PromptFile,
  type RunProtocolOptions,
  type SystemPromptOptions,
} from '@synapse/brain';
import type { Approver, CallOptions, Hands } from '@synapse/hands';
import { defaultStateFolder, recordedRoot } from '@synapse/hands/internal';
import type { ToolCaller } from '@synapse/hands/providers';
import { SynapseError, type CallResult } from '@synapse/protocol';
import type { RemoteHands } from '@synapse/remote/brain';
import type { CommandIo } from '../command/command.ts';
import { handsOptions, yes } from '../command/shared-options.ts';
import { openHands, type OpeningIo } from '../hands/open-hands.ts';
import { refuseLocalOptions } from '../remote/remote-options.ts';
import { closeAndTellJobs } from './tell-jobs.ts';
import { workingFolder } from './working-folder.ts';
import type { AgentOptionValues } from './agent-options.ts';

/** What a run starts with: the options of the command line, or those of a saved session. */
export type RunOptions = Partial<AgentOptionValues> &
  Pick<AgentOptionValues, 'json' | 'jsonl'> & {
    /** The budget that this run shares with others, by its id. */
    readonly budget?: string;
  };

/** Where an agent's calls run, until it is disposed. */
export interface AgentPlace extends AsyncDisposable {
  /** @throws SynapseError `unavailable` if the calls run on another machine */
  readonly hands: Hands;
  readonly tools: ToolCaller;
  /** Runs a call by its canonical name, whatever the dialect of the tools. */
  readonly call: (name: string, input: unknown, options?: CallOptions) => Promise<CallResult>;
  /** The folder that sessions are stored under, or the address of the other machine. */
  readonly workspace: string;
  /** The folder whose custom protocols are available; undefined on another machine. */
  readonly protocols: string | undefined;
  /** The records to check a report against: the audit log here; for another machine, only the session. */
  readonly records: Pick<RunProtocolOptions, 'audited' | 'root' | 'evidence'>;
  readonly prompt: Pick<SystemPromptOptions, 'workspace' | 'constraints' | 'files' | 'system'>;
}

/** The dialects that the models of a provider were trained on. */
const TRAINED: Readonly<Record<string, string>> = { anthropic: 'claude-code', openai: 'codex', google: 'gemini-cli' };

/** The dialect for an option value. `auto` selects one by provider; hands do not know that value. */
export function dialectOf({ dialect, model }: Pick<RunOptions, 'dialect' | 'model'>): string | undefined {
  return dialect === 'auto' ? TRAINED[model?.split('/')[0] ?? ''] : dialect;
}

/** Reads the project's instructions to agents with ordinary calls, so files that may not be read are left out. */
async function filesOf(hands: RemoteHands): Promise<NonNullable<SystemPromptOptions['files']>> {
  const read = async (path: string): Promise<PromptFile | undefined> => {
    const result = await hands.call('read_file', { path });
    const { data } = z.object({ content: z.string() }).safeParse(result.ok ? result.data : undefined);
    return data === undefined ? undefined : { path, text: data.content };
  };
  const [operator, ...found] = await Promise.all([OPERATOR_FILE, ...INSTRUCTION_FILES].map(read));
  const first = found.find((file) => file !== undefined);
  return { operator, instructions: first === undefined ? [] : [first] };
}

async function openFarPlace(address: string, options: RunOptions, io: CommandIo): Promise<AgentPlace> {
  const { dialect: _, ...rest } = handsOptions;
  const local = { ...rest, yes };
  refuseLocalOptions(local, { ...Object.fromEntries(Object.entries(local).map(([name, { absent }]) => [name, absent])), ...options });
  await using stack = new AsyncDisposableStack();
  const { openFarAway } = await import('../remote/open-far-hands.ts');
  const { far, hands: remote } = stack.use(await openFarAway(address, dialectOf(options), io));
  const { workspace, constraints, system } = far.about;
  const files = await filesOf(remote);
  const opened = stack.move();
  return {
    get hands(): Hands {
      throw new SynapseError('unavailable', 'Not available on another machine.', {
        hint: `In another terminal: synapse changes --remote ${address}, or synapse undo --remote ${address}. What waits for a yes is on that machine.`,
      });
    },
    tools: far,
    call: (name, input, given) => remote.call(name, input, given),
    workspace: address,
    protocols: undefined,
    records: {},
    prompt: { workspace, constraints, system, files },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Opens hands for an agent, on this machine or another one. */
export async function openAgentPlace(options: RunOptions, io: CommandIo & OpeningIo, approver: Approver | undefined): Promise<AgentPlace> {
  if (options.remote !== undefined) return await openFarPlace(options.remote, options, io);
  const { dialect: _, ...rest } = options;
  const hands = await openHands(rest, io, approver, { connect: 'demand' });
  const dialect = dialectOf(options);
  return {
    hands,
    tools: dialect === undefined ? hands : hands.dialect(dialect),
    call: (name, input, given) => hands.call(name, input, given),
    workspace: recordedRoot(hands.workspace),
    protocols: hands.workspace,
    records: {
      root: hands.workspace,
      audited: (session) => auditedCalls(defaultStateFolder(), hands.workspace, session),
      evidence: async ({ id, messages }) => await sessionEvidence(defaultStateFolder(), hands.workspace, id, messages),
    },
    prompt: { workspace: hands.workspace, constraints: hands.constraints(), ...workingFolder(hands.workspace) },
    [Symbol.asyncDispose]: closeAndTellJobs(hands, io.err),
  };
}
