import { isSynapseError, SynapseError, type Truncation } from '@synapse/protocol';
import * as z from 'zod';
import { imageType, readImage } from '../read/read-image.ts';
import { readText, type ReadText } from '../read/read-text.ts';
import { looksBinary, SNIFF_BYTES } from '../text/detect-encoding.ts';
import type { SymbolRange } from '../navigation/symbol-range.ts';
import { count, size } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool, type ToolOutput } from '../tool/tool.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import * as fields from './fields.ts';

/** Most files of one call: more do not fit an answer. */
const MAX_PATHS = 50;
/** Maximum size of a file that is read in one step, in bytes. */
const AT_ONCE_BYTES = 256 * 1024;

const inputSchema = () =>
  z
    .strictObject({
      path: fields.path.optional(),
      paths: z.array(z.string()).max(MAX_PATHS).optional().describe('Several files in one call, instead of path'),
      offset: z.int().default(1).describe('First line, from 1; negative counts from the end'),
      limit: z.int().min(1).max(1_000_000).optional().describe('How many lines'),
      symbol: z.string().min(1).max(500).optional().describe('Only this declaration: Class.method'),
      version: z.string().optional().describe('Version that you have read: if it is still the same, the text is left out'),
    })
    .superRefine(({ path, paths = [], version, symbol }, context) => {
      if (paths.length > 0 && version !== undefined) {
        context.addIssue({ code: 'custom', path: ['version'], message: 'is that of one file; leave it out for several' });
      }
      if (path !== undefined || paths.length > 0) return;
      if (symbol !== undefined) context.addIssue({ code: 'custom', path: ['path'], message: `is missing: ${findsIt(symbol)}` });
      else context.addIssue({ code: 'invalid_type', expected: 'string', input: undefined, path: ['path'] });
    });

const fileSchema = () =>
  z.strictObject({
    path: z.string(),
    /** `files`: several were asked for, and each is in `files` with its content. */
    kind: z.enum(['text', 'image', 'files']),
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
    /** The file has the version that was given, so its text is left out. */
    unchanged: z.literal(true).optional(),
  });

const failureSchema = () => z.strictObject({ path: z.string(), error: z.strictObject({ code: z.string(), message: z.string() }) });

type Input = z.output<ReturnType<typeof inputSchema>>;

/** Whether a call asks for all of a file. */
const isWhole = ({ offset, limit, symbol }: Input): boolean => limit === undefined && symbol === undefined && offset === 1;

type FileData = z.output<ReturnType<typeof fileSchema>>;

/** A single path given as the list. */
function listMeant(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { paths, ...rest } = given;
  const isOne = typeof paths === 'string' && !paths.trimStart().startsWith('[') && rest['path'] === undefined;
  return isOne ? { ...rest, path: paths } : given;
}

/** The calls for several files; none for a single one. */
function partsOf({ path, paths = [], offset, limit, symbol }: Input) {
  if (paths.length === 0) return [];
  const range = { offset, ...(limit === undefined ? {} : { limit }), ...(symbol === undefined ? {} : { symbol }) };
  return [...new Set([...(path === undefined ? [] : [path]), ...paths])].map((one) => ({
    path: one,
    call: { tool: 'read_file', input: { path: one, ...range } },
  }));
}

/** The answer to a caller who has this version already. A range asks for its lines, whatever is known. */
function unchanged(path: string, file: { size: number; version: string; encoding: string; lines: number | null }): ToolOutput<FileData> {
  const { size: bytes, version, encoding, lines } = file;
  return {
    data: {
      path,
      kind: 'text',
      content: '',
      size: bytes,
      version,
      encoding,
      first_line: 0,
      last_line: 0,
      total_lines: lines,
      truncated: false,
      unchanged: true,
    },
    content: '',
    note: `${path} is unchanged since version ${version}${lines === null ? '' : `: ${count(lines, 'line')}`}. Leave version out to read it.`,
  };
}

/** The answer for an image; undefined for a text. @throws for what is neither */
async function readOther(path: string, file: OpenFile, prefix: Buffer): Promise<ToolOutput<FileData> | undefined> {
  const isBinary = looksBinary(prefix);
  // PNG and JPEG do not begin with ASCII; GIF and WebP have a NUL in their first bytes.
  const image = isBinary || (prefix[0] ?? 0) > 0x7f ? imageType(prefix) : undefined;
  if (image !== undefined) return await readImage(path, file, image);
  if (!isBinary) return undefined;
  throw new SynapseError('binary_file', `${path} is binary (${size(file.size)}), so it cannot be read as text.`, {
    hint: 'Use file_info for facts about it, or run_command with a program that understands it.',
  });
}

/** What a call asked for: its offset, and the lines that it comes to. */
interface AskedLines {
  readonly offset: number;
  readonly limit: number | undefined;
  readonly named: SymbolRange | undefined;
}

/** Which lines are shown, in words. */
function linesShown({ firstLine, lastLine }: ReadText['window'], bytes: number, offset: number): string {
  if (firstLine === 0) return bytes === 0 ? 'empty: no lines' : `no line ${offset}`;
  return `${firstLine > 0 ? 'lines' : 'lines from the end'} ${Math.abs(firstLine)}-${Math.abs(lastLine)}`;
}

/** The sentence about what is shown, and how to go on. */
function noteOf({ encoding, version, window, totalLines }: ReadText, bytes: number, { offset, limit, named }: AskedLines): string {
  const { lastLine, cutBy, cutLines } = window;
  const facts = [
    ...(named === undefined ? [] : [limit === named.limit ? named.symbol : `${named.symbol} has lines ${linesOf(named)}`]),
    `${linesShown(window, bytes, offset)} of ${totalLines ?? 'many'}`,
    ...(cutLines > 0 ? [`${count(cutLines, 'long line')} ${cutLines === 1 ? 'is' : 'are'} cut`] : []),
    ...(encoding === 'utf-8' ? [] : [encoding]),
    version === null ? `${size(bytes)}, too large for a version` : `version ${version}`,
  ];
  // Where the lines end that the call asked for, it knows how to go on.
  const isCutShort = cutBy !== undefined && (totalLines === null || (lastLine < totalLines && lastLine > 0));
  return `${facts.join('; ')}.${isCutShort ? ` Go on with offset ${lastLine + 1}.` : ''}`;
}

function asOutput(path: string, bytes: number, read: ReadText, asked: AskedLines): ToolOutput<FileData> {
  const { encoding, version, window, totalLines } = read;
  const { text, firstLine, lastLine, cutBy } = window;
  const truncation: Truncation | undefined =
    cutBy === undefined
      ? undefined
      : {
          by: cutBy,
          shown: { bytes: window.bytes, lines: lastLine - firstLine + 1 },
          total: { bytes, ...(totalLines === null ? {} : { lines: totalLines }) },
        };
  return {
    data: {
      path,
      kind: 'text',
      content: text,
      size: bytes,
      version,
      encoding,
      first_line: firstLine,
      last_line: lastLine,
      total_lines: totalLines,
      truncated: cutBy !== undefined,
    },
    content: text,
    contentBytes: window.bytes,
    note: noteOf(read, bytes, asked),
    ...(truncation === undefined ? {} : { truncation }),
  };
}

/** The lines of a symbol that are asked for. Offsets are lines of the file, also within a symbol. */
function within(named: SymbolRange, offset: number, limit: number | undefined): Pick<SymbolRange, 'offset' | 'limit'> {
  const after = named.offset + named.limit;
  if (offset >= after)
    throw new SynapseError('invalid_arguments', `offset ${offset} is behind ${named.symbol}, which has lines ${linesOf(named)}.`, {
      hint: 'Leave offset or symbol out.',
    });
  const first = Math.max(offset, named.offset);
  return { offset: first, limit: Math.min(limit ?? Number.MAX_SAFE_INTEGER, after - first) };
}

const linesOf = ({ offset, limit }: SymbolRange): string => `${offset}-${offset + limit - 1}`;

async function readFiles(
  input: Input,
  ctx: ToolContext,
): Promise<ToolOutput<FileData & { files: Array<FileData | z.output<ReturnType<typeof failureSchema>>> }>> {
  const { readPaths, blocksOf, assertSomeRead } = await import('./read-paths.ts');
  const schema = fileSchema();
  const results = await readPaths(partsOf(input), ctx, (data) => schema.parse(data));
  assertSomeRead(results);
  const files = results.map(({ path, answer }) =>
    answer.ok ? answer.data : { path, error: { code: answer.error.code, message: answer.error.message } },
  );
  const read = results.flatMap(({ answer }) => (answer.ok ? [answer.data] : []));
  const failed = files.length - read.length;
  return {
    data: {
      path: '.',
      kind: 'files',
      content: '',
      size: read.reduce((sum, file) => sum + file.size, 0),
      version: null,
      encoding: 'utf-8',
      first_line: 0,
      last_line: 0,
      total_lines: null,
      truncated: read.some(({ truncated }) => truncated),
      files,
    },
    content: blocksOf(results),
    ...(failed === 0 ? {} : { note: `${failed} of ${count(files.length, 'file')} could not be read.` }),
  };
}

const findsIt = (symbol: string): string => `code with action "find" and symbol ${JSON.stringify(symbol.slice(0, 100))} finds it`;

/** Opens what is to be read. A symbol in a folder has to be found first. */
async function openFor(path: string, symbol: string | undefined, { workspace }: Pick<ToolContext, 'workspace'>): Promise<OpenFile> {
  try {
    return await workspace.openShown(path);
  } catch (error) {
    const isFolder = symbol !== undefined && isSynapseError(error) && error.code === 'wrong_type' && workspace.describe(path).type === 'directory';
    if (!isFolder) throw error;
    throw new SynapseError('wrong_type', error.message, { hint: `To read a symbol, give its file: ${findsIt(symbol)}.`, cause: error });
  }
}

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Read a text file or an image, or several. Tells which lines of how many are shown, and the version for edit_file. Also reads stored output by its handle (spill:…).',
  effects: 'read',
  idempotent: true,
  input: inputSchema,
  output: () => fileSchema().extend({ files: z.array(z.union([fileSchema(), failureSchema()])).optional() }),
  aliases: {
    fields: {
      ...fields.pathAliases,
      ...fields.lineAliases,
      uri: 'path',
      symbol_name: 'symbol',
      name_path: 'symbol',
      files: 'paths',
      file_paths: 'paths',
      filenames: 'paths',
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
    // Either a number of lines, or a line range.
    meant: ({ lines, ...rest }) =>
      fields.linesMeant(
        listMeant(lines === undefined ? rest : { ...rest, [/^"?\d+"?$/u.test(JSON.stringify(lines)) ? 'limit' : 'view_range']: lines }),
      ),
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
  // Each of several files is judged in its own call.
  permission: ({ path, paths = [] }) => (path === undefined || paths.length > 0 ? [] : [{ action: 'read', resource: path }]),
  parts: (input) => partsOf(input).map(({ call }) => call),
  timeoutMs: 10_000,
  verbatim: true,
  keep: 'head',
  summarize: ({ path }, data) => `read_file(${data.files === undefined ? path : count(data.files.length, 'file')}) → ${size(data.size)}`,
  async execute(input, ctx) {
    const { path: given, paths = [], offset, limit, symbol } = input;
    if (offset === 0) throw new SynapseError('invalid_arguments', 'offset 0 names no line.', { hint: 'The first line is 1, the last is -1.' });
    if (given === undefined || paths.length > 0) return await readFiles(input, ctx);
    using file = await openFor(given, symbol, ctx);
    const path = displayPath(file.location);
    // A small file is read only once, for everything requested.
    const prefix = await file.read(0, Math.max(SNIFF_BYTES, file.size <= AT_ONCE_BYTES ? file.size : 0));
    const image = await readOther(path, file, prefix);
    if (image !== undefined) return image;
    // Loaded where it is used: most reads name no symbol, and need no syntax.
    const named = symbol === undefined ? undefined : await (await import('../navigation/symbol-range.ts')).symbolRange(file, symbol);
    const range = named === undefined ? { offset, limit: limit ?? Number.MAX_SAFE_INTEGER } : within(named, offset, limit);
    const read = await readText(file, range, ctx.limits, ctx.signal, prefix.length === file.size ? prefix : undefined);
    const { version, encoding, totalLines } = read;
    if (version !== null && version === input.version && isWhole(input)) {
      return unchanged(path, { size: file.size, version, encoding, lines: totalLines });
    }
    return asOutput(path, file.size, read, { offset, named, limit: range.limit });
  },
});
