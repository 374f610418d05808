import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { displayPath } from '../workspace/byte-name.ts';

/** As `synapse blame` follows files up to this size. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_LINES = 2_000;

const Writer = z.strictObject({
  by: z.enum(['hands', 'person-or-other', 'before', 'unknown']),
  tool: z.string().exactOptional(),
  call: z.string().exactOptional(),
  session: z.string().exactOptional(),
  time: z.string().exactOptional(),
  branch: z.string().exactOptional(),
  perhaps: z.array(z.strictObject({ tool: z.string(), call: z.string(), session: z.string().exactOptional() })).exactOptional(),
});
const Line = Writer.extend({ line: z.int(), text: z.string(), formatted: Writer.strip().exactOptional() });

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
        lines: z.array(Line),
        more: z.int(),
      }),
    permission: ({ path }) => [{ action: 'read', resource: path }],
    timeoutMs: 20_000,
    keep: 'head',
    summarize: ({ path }, { lines }) => `line_writers(${path}) → ${count(lines.length, 'line')}`,
    async execute({ path, start_line: from, end_line: to = Number.POSITIVE_INFINITY }, { workspace }) {
      // Only what this call may read is shown: the file behind its handle, whatever takes its place meanwhile.
      using file = workspace.openFile(path);
      if (file.size > MAX_BYTES) throw new SynapseError('too_large', `${path} is larger than 4 MB.`, { hint: 'Read it with read_file.' });
      const text = (await file.read(0, file.size)).toString();
      const { blameFile } = await import('../blame/blame-file.ts');
      const { writerText } = await import('../blame/writer-text.ts');
      const place = displayPath(file.location);
      const all = (await blameFile(root, stateFolder, place, text)).filter(({ line }) => line >= from && line <= to);
      const lines = all.slice(0, MAX_LINES).map((line) => Line.strip().parse(line));
      const content = lines.map((line) => `${line.line}\t${writerText(line)}\t${line.text}`);
      return { data: { path: place, lines, more: all.length - lines.length }, content: content.join('\n') };
    },
  });
}
