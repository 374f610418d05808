import { SynapseError, type Truncation } from '@synapse/protocol';
import * as z from 'zod';
import { imageType, readImage } from '../read/read-image.ts';
import { readText } from '../read/read-text.ts';
import { looksBinary, SNIFF_BYTES } from '../text/detect-encoding.ts';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { displayPath } from '../workspace/byte-name.ts';
import * as fields from './fields.ts';

/** Maximum size of a file that is read in one step, in bytes. */
const AT_ONCE_BYTES = 256 * 1024;

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Read a text file or an image. Tells which lines of how many are shown, and the version for edit_file. Also reads stored output by its handle (spill:…).',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path,
      offset: z.int().default(1).describe('First line, from 1; negative counts from the end'),
      limit: z.int().min(1).max(1_000_000).optional().describe('How many lines'),
      symbol: z.string().min(1).max(500).optional().describe('Only this declaration: Class.method'),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      kind: z.enum(['text', 'image']),
      /** The shown lines; base64 for an image. */
      content: z.string(),
      /** Size of the whole file, in bytes. */
      size: z.int(),
      /** Hash of all bytes of the file; null if the file is too large to hash on each read. */
      version: z.string().nullable(),
      encoding: z.string(),
      first_line: z.int(),
      last_line: z.int(),
      total_lines: z.int().nullable(),
      truncated: z.boolean(),
    }),
  aliases: {
    fields: {
      ...fields.pathAliases,
      ...fields.lineAliases,
      uri: 'path',
      symbol_name: 'symbol',
      name_path: 'symbol',
      num_lines: 'limit',
      max_lines: 'limit',
    },
    ignored: [
      ...fields.remarks,
      ...fields.lineNumberRemarks,
      'encoding',
      'should_read_entire_file',
      'read_entire_file',
      'entire_file',
      'read_full_file',
      'full',
    ],
    advice: { paths: 'read_file reads one path; call it once for each', files: 'read_file reads one path; call it once for each' },
    // Either a number of lines, or a line range.
    meant: ({ lines, ...rest }) =>
      fields.linesMeant(lines === undefined ? rest : { ...rest, [/^"?\d+"?$/u.test(JSON.stringify(lines)) ? 'limit' : 'view_range']: lines }),
  },
  otherNames: [
    'cat',
    'head',
    'tail',
    'read',
    'view',
    'open',
    'open_file',
    'view_file',
    'load_file',
    'read_text_file',
    'read_files',
    'read_many_files',
    'read_multiple_files',
    'read_media_file',
    'view_image',
    'image_view',
    'read_image',
    'open_image',
    'show_image',
    'load_image',
    'get_file_contents',
    'get_file_content',
  ],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 10_000,
  verbatim: true,
  keep: 'head',
  summarize: ({ path }, data) => `read_file(${path}) → ${size(data.size)}`,
  async execute({ path: given, offset, limit, symbol }, ctx) {
    const { limits, signal } = ctx;
    if (offset === 0) throw new SynapseError('invalid_arguments', 'offset 0 names no line.', { hint: 'The first line is 1, the last is -1.' });
    using file = await ctx.workspace.openShown(given);
    const path = displayPath(file.location);
    // A small file is read only once, for everything requested.
    const prefix = await file.read(0, Math.max(SNIFF_BYTES, file.size <= AT_ONCE_BYTES ? file.size : 0));
    const isBinary = looksBinary(prefix);
    // PNG and JPEG do not begin with ASCII; GIF and WebP have a NUL in their first bytes.
    const image = isBinary || (prefix[0] ?? 0) > 0x7f ? imageType(prefix) : undefined;
    if (image !== undefined) return await readImage(path, file, image);
    if (isBinary) {
      throw new SynapseError('binary_file', `${path} is binary (${size(file.size)}), so it cannot be read as text.`, {
        hint: 'Use file_info for facts about it, or run_command with a program that understands it.',
      });
    }
    // Loaded where it is used: most reads name no symbol, and need no syntax.
    const named = symbol === undefined ? undefined : await (await import('../navigation/symbol-range.ts')).symbolRange(file, symbol);
    const range = named ?? { offset, limit: limit ?? Number.MAX_SAFE_INTEGER };
    const { encoding, version, window, totalLines } = await readText(file, range, limits, signal, prefix.length === file.size ? prefix : undefined);
    const { text, bytes, firstLine, lastLine, cutBy, cutLines } = window;
    const more = totalLines === null ? cutBy !== undefined : lastLine < totalLines && lastLine > 0;
    const next = more && (named === undefined || cutBy !== undefined) ? `Go on with offset ${lastLine + 1}.` : undefined;
    const truncation: Truncation | undefined =
      cutBy === undefined
        ? undefined
        : {
            by: cutBy,
            shown: { bytes, lines: lastLine - firstLine + 1 },
            total: { bytes: file.size, ...(totalLines === null ? {} : { lines: totalLines }) },
          };
    const shown =
      firstLine === 0
        ? file.size === 0
          ? 'empty: no lines'
          : `no line ${offset}`
        : `${firstLine > 0 ? 'lines' : 'lines from the end'} ${Math.abs(firstLine)}-${Math.abs(lastLine)}`;
    const facts = [
      ...(named === undefined ? [] : [named.symbol]),
      `${shown} of ${totalLines ?? 'many'}`,
      ...(cutLines > 0 ? [`${count(cutLines, 'long line')} ${cutLines === 1 ? 'is' : 'are'} cut`] : []),
      ...(encoding === 'utf-8' ? [] : [encoding]),
      ...(version === null ? [`${size(file.size)}, too large for a version`] : [`version ${version}`]),
    ];
    return {
      data: {
        path,
        kind: 'text' as const,
        content: text,
        size: file.size,
        version,
        encoding,
        first_line: firstLine,
        last_line: lastLine,
        total_lines: totalLines,
        truncated: cutBy !== undefined,
      },
      content: text,
      contentBytes: bytes,
      note: `${facts.join('; ')}.${next === undefined ? '' : ` ${next}`}`,
      ...(truncation === undefined ? {} : { truncation }),
    };
  },
});
