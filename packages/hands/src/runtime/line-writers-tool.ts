import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { displayPath } from '../workspace/byte-name.ts';

/** As `synapse blame` follows files up to this size. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_LINES = 2_000;

const BY = z.enum(['hands', 'person-or-other', 'before', 'unknown']);
const Writer = z.strictObject({
  by: BY,
  tool: z.string().optional(),
  call: z.string().optional(),
  session: z.string().optional(),
  time: z.string().optional(),
  branch: z.string().optional(),
});
type Writer = z.infer<typeof Writer>;

const ID_CHARACTERS = 8;
const WORDS: Readonly<Record<Writer['by'], string>> = {
  hands: 'hands',
  'person-or-other': 'a person or another program',
  before: 'before Synapse',
  unknown: 'not known',
};

const shown = ({ by, tool, call, branch }: Writer): string =>
  by === 'hands' ? `${tool ?? 'hands'} ${call?.slice(0, ID_CHARACTERS) ?? ''}${branch === undefined ? '' : ` in ${branch}`}` : WORDS[by];

/**
 * The tool that says who wrote each line: offered only where a person turns it on, as few models need it.
 *
 * @param stateFolder where the records of the workspace are
 */
export function lineWritersTool(root: string, stateFolder: string): AnyTool {
  return defineTool({
    name: 'line_writers',
    title: 'Who wrote each line',
    description: 'The call, session and branch that wrote each line of a text file; or a person or another program, or that it was there before.',
    effects: 'read',
    idempotent: true,
    input: () =>
      z.strictObject({
        path: z.string().describe('Path relative to the workspace'),
        start_line: z.int().min(1).default(1),
        end_line: z.int().min(1).optional(),
      }),
    output: () =>
      z.strictObject({
        path: z.string(),
        lines: z.array(Writer.extend({ line: z.int(), text: z.string(), formatted: Writer.optional() })),
        more: z.int(),
      }),
    permission: ({ path }) => [{ action: 'read', resource: path }],
    timeoutMs: 20_000,
    keep: 'head',
    summarize: ({ path }, { lines }) => `line_writers(${path}) → ${count(lines.length, 'line')}`,
    async execute({ path, start_line: from, end_line: to = Number.POSITIVE_INFINITY }, { workspace }) {
      // What is told is what this call may read: the file behind its handle, whatever takes its place meanwhile.
      using file = workspace.openFile(path);
      if (file.size > MAX_BYTES) throw new SynapseError('too_large', `${path} is larger than 4 MB.`, { hint: 'Read it with read_file.' });
      const text = (await file.read(0, file.size)).toString();
      const { blameFile } = await import('../blame/blame-file.ts');
      const place = displayPath(file.location);
      const all = blameFile(root, stateFolder, place, text).filter(({ line }) => line >= from && line <= to);
      const lines = all.slice(0, MAX_LINES).map(({ line, text: content, formatted, ...writer }) => ({
        line,
        text: content,
        ...told(writer),
        ...(formatted === undefined ? {} : { formatted: told(formatted) }),
      }));
      const content = lines.map((one) => {
        const over = one.formatted === undefined ? '' : `, formatting ${shown(one.formatted)}`;
        return `${one.line}\t${shown(one)}${over}\t${one.text}`;
      });
      return { data: { path: place, lines, more: all.length - lines.length }, content: content.join('\n') };
    },
  });
}

function told({ by, tool, call, session, time, branch }: Writer): Writer {
  return {
    by,
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call }),
    ...(session === undefined ? {} : { session }),
    ...(time === undefined ? {} : { time }),
    ...(branch === undefined ? {} : { branch }),
  };
}
