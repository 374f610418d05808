import { SynapseError } from '@synapse/protocol';
import type { Limits } from '../output/limits.ts';
import { detectEncoding, SNIFF_BYTES } from '../text/detect-encoding.ts';
import { decode, markOf, type TextEncoding } from '../text/encoding.ts';
import { size } from '../text/amounts.ts';
import { contentVersion, type OpenFile } from '../workspace/open-file.ts';
import { borrowMemory, type LineRange, scanLargeFile } from './scan-large-file.ts';

const NEWLINE = 0x0a;

/** A range of lines of a text. */
interface LineWindow {
  readonly text: string;
  /** Size of the text in UTF-8 bytes. */
  readonly bytes: number;
  /** From 1; 0 if nothing is shown. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The limit that ended the window before the range did. */
  readonly cutBy: 'bytes' | 'lines' | undefined;
  /** Number of lines that were too long and are cut. */
  readonly cutLines: number;
}

/** Counts the lines of a text. A final newline ends a line and does not start another. */
export function countLines(bytes: Buffer): number {
  let count = 0;
  let last = -1;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    count += 1;
    last = at;
  }
  return count + Number(last + 1 < bytes.length);
}

/** Returns where the given number of lines after `from` end, and how many lines there were. */
function skipLines(bytes: Buffer, from: number, lines: number): { end: number; lines: number } {
  let end = from;
  for (let count = 0; count < lines; count += 1) {
    if (end >= bytes.length) return { end, lines: count };
    const newline = bytes.indexOf(NEWLINE, end);
    end = newline === -1 ? bytes.length : newline + 1;
  }
  return { end, lines };
}

/** Cuts a line to a number of characters, with a mark that no file contains by accident. */
function cutLine(line: string, characters: number): string {
  const end = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
  const kept = line.slice(0, characters).replace(/[\ud800-\udbff]$/u, '');
  return `${kept}… [+${line.length - end.length - kept.length} characters]${end}`;
}

/** Takes lines while they fit, at least one, and cuts long lines. Used only if the range is over the limit. */
function fitLines(bytes: Buffer, limits: Limits): { text: string; lines: number; cutLines: number; consumed: number } {
  let text = '';
  let room = limits.outputBytes;
  let lines = 0;
  let cutLines = 0;
  let at = 0;
  while (at < bytes.length && room > 0) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    // A character takes at most 4 bytes, so this is enough to cut a line of any length.
    const slice = bytes.toString('utf8', at, Math.min(end, at + limits.lineCharacters * 4 + 8));
    const isLong = end - at > limits.lineCharacters * 4 + 8 || slice.length > limits.lineCharacters + 2;
    const line = isLong ? cutLine(end - at > limits.lineCharacters * 4 + 8 ? bytes.toString('utf8', at, end) : slice, limits.lineCharacters) : slice;
    const size = Buffer.byteLength(line);
    if (size > room && lines > 0) break;
    text += line;
    room -= size;
    lines += 1;
    cutLines += Number(isLong);
    at = end;
  }
  return { text, lines, cutLines, consumed: at };
}

/**
 * Number of bytes decoded at once. Node stores strings of more than about a million characters outside V8's heap
 * (`EXTERN_APEX`, 0xFBEE9). They trigger full garbage collections sooner: one after 13 strings of one megabyte.
 */
const PIECE_BYTES = 512 * 1024;
/** Mask and value of the bits that identify a continuation byte. */
const INSIDE_MASK = 0b1100_0000;
const INSIDE = 0b1000_0000;
/** Maximum number of bytes in a character. */
const MAX_CHARACTER_BYTES = 4;

/** Decodes UTF-8 of any length. Invalid bytes become U+FFFD. */
export function decodeUtf8(bytes: Buffer, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end;) {
    let next = Math.min(end, at + PIECE_BYTES);
    // Do not split a character. A longer run of continuation bytes is invalid UTF-8 wherever it is split.
    const earliest = next - MAX_CHARACTER_BYTES;
    while (next < end && next > earliest && ((bytes[next] ?? 0) & INSIDE_MASK) === INSIDE) next -= 1;
    text += bytes.toString('utf8', at, next);
    at = next;
  }
  return text;
}

/** Returns the lines of a range from UTF-8 bytes, within the limits. */
function lineWindow(bytes: Buffer, totalLines: number, range: LineRange, limits: Limits): LineWindow {
  const first = range.offset > 0 ? range.offset : Math.max(1, totalLines + range.offset + 1);
  const wanted = Math.min(range.limit, limits.outputLines);
  if (first > totalLines) return { text: '', bytes: 0, firstLine: 0, lastLine: 0, cutBy: undefined, cutLines: 0 };
  const start = first === 1 ? 0 : skipLines(bytes, 0, first - 1).end;
  const { end, lines } = first === 1 && wanted >= totalLines ? { end: bytes.length, lines: totalLines } : skipLines(bytes, start, wanted);
  const lastWanted = Math.min(totalLines, first + range.limit - 1);
  if (end - start <= limits.outputBytes) {
    const lastLine = first + lines - 1;
    const cutBy = lastLine < lastWanted ? 'lines' : undefined;
    return { text: decodeUtf8(bytes, start, end), bytes: end - start, firstLine: first, lastLine, cutBy, cutLines: 0 };
  }
  const fit = fitLines(bytes.subarray(start, end), limits);
  const lastLine = first + fit.lines - 1;
  return {
    text: fit.text,
    bytes: Buffer.byteLength(fit.text),
    firstLine: first,
    lastLine,
    cutBy: lastLine < lastWanted || fit.cutLines > 0 ? 'bytes' : undefined,
    cutLines: fit.cutLines,
  };
}

/** Maximum size of a file that is read whole to know its version and number of lines, in bytes: about 20 ms at the limit. */
const WHOLE_FILE_BYTES = 10 * 1024 * 1024;

/** The part of a text that was read. */
export interface ReadText {
  readonly encoding: string;
  /** Null if the file was not read whole. */
  readonly version: string | null;
  readonly totalLines: number | null;
  readonly window: LineWindow;
}

/**
 * Reads the lines of a range, in the encoding of the file.
 * @param whole the whole file, if it was already read
 */
export async function readText(file: OpenFile, range: LineRange, limits: Limits, signal: AbortSignal, whole?: Buffer): Promise<ReadText> {
  if (file.size > WHOLE_FILE_BYTES) return readStretch(file, range, limits, signal);
  if (whole !== undefined) return readLines(whole, range, limits);
  using memory = borrowMemory(file.size);
  return await readLines(memory.bytes.subarray(0, await file.readInto(memory.bytes, 0)), range, limits);
}

/** Reads the lines from the bytes of a whole file. Keeps no reference to the bytes, because their memory is reused. */
async function readLines(bytes: Buffer, range: LineRange, limits: Limits): Promise<ReadText> {
  const version = contentVersion(bytes);
  const encoding = await detectEncoding(bytes);
  if (encoding === 'binary') throw new SynapseError('binary_file', 'The file is binary, so it cannot be read as text.');
  const text = asUtf8(bytes, encoding);
  const totalLines = countLines(text);
  return { encoding: encoding.name, version, totalLines, window: lineWindow(text, totalLines, range, limits) };
}

/** Returns UTF-8 as a view, and converts other encodings to it, so that all lines are cut in the same way. */
function asUtf8(bytes: Buffer, encoding: TextEncoding): Buffer {
  if (encoding.name === 'utf-8') return encoding.bom ? bytes.subarray(markOf(encoding).length) : bytes;
  return Buffer.from(decode(bytes, encoding), 'utf8');
}

async function readStretch(file: OpenFile, range: LineRange, limits: Limits, signal: AbortSignal): Promise<ReadText> {
  const sniffed = await detectEncoding(await file.read(0, SNIFF_BYTES), { partial: true });
  if (sniffed !== 'binary' && sniffed.name.startsWith('utf-16')) {
    throw new SynapseError('too_large', `The file is ${size(file.size)} of ${sniffed.name}, which cannot be read in parts.`, {
      hint: 'Convert it with run_command (iconv), then read that.',
    });
  }
  const { bytes: raw, firstLine } = await scanLargeFile(file, range, limits, signal);
  const encoding = await detectEncoding(raw, { partial: true });
  if (encoding === 'binary') throw new SynapseError('binary_file', 'This part of the file is binary, so it cannot be read as text.');
  const bytes = asUtf8(raw, encoding);
  // Counted from the end, the lines that were read are the last ones, so the window is shifted.
  const collected = countLines(bytes);
  const window = lineWindow(bytes, collected, { offset: 1, limit: range.limit }, limits);
  const shift = (line: number): number => (line === 0 ? 0 : firstLine === undefined ? line - 1 - collected : line + firstLine - 1);
  return {
    encoding: encoding.name,
    version: null,
    totalLines: null,
    window: { ...window, firstLine: shift(window.firstLine), lastLine: shift(window.lastLine) },
  };
}
