import { SynapseError } from '@synapse/protocol';
import type { Limits } from '../limits.ts';
import { detectEncoding, SNIFF_BYTES } from '../text/detect-encoding.ts';
import { decode, markOf, type TextEncoding } from '../text/encoding.ts';
import { size } from '../text/amounts.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { contentVersion } from '../workspace/version.ts';
import { countLines, lineWindow, type LineRange, type LineWindow } from './line-window.ts';
import { scanLargeFile } from './scan-large-file.ts';
import { borrowMemory } from './spare-memory.ts';

/** Up to here a file is read whole, so that its version and its number of lines are known: about 20 ms at the limit. */
const WHOLE_FILE_BYTES = 10 * 1024 * 1024;

/** A text as far as it was read. */
export interface ReadText {
  readonly encoding: string;
  /** Null where the file was not read whole. */
  readonly version: string | null;
  readonly totalLines: number | null;
  readonly window: LineWindow;
}

/**
 * Reads the lines of a range, in the file's own encoding.
 * @param whole all of the file, where it was read already
 */
export async function readText(file: OpenFile, range: LineRange, limits: Limits, signal: AbortSignal, whole?: Buffer): Promise<ReadText> {
  if (file.size > WHOLE_FILE_BYTES) return readStretch(file, range, limits, signal);
  if (whole !== undefined) return readLines(whole, range, limits);
  using memory = borrowMemory(file.size);
  return await readLines(memory.bytes.subarray(0, await file.readInto(memory.bytes, 0)), range, limits);
}

/** Keeps nothing of the bytes: they may be used for something else afterwards. */
async function readLines(bytes: Buffer, range: LineRange, limits: Limits): Promise<ReadText> {
  const version = contentVersion(bytes);
  const encoding = await detectEncoding(bytes);
  if (encoding === 'binary') throw new SynapseError('binary_file', 'The file is binary, so it cannot be read as text.');
  const text = asUtf8(bytes, encoding);
  const totalLines = countLines(text);
  return { encoding: encoding.name, version, totalLines, window: lineWindow(text, totalLines, range, limits) };
}

/** UTF-8 is read where it stands; other encodings are turned into it, so that lines are cut in one way. */
function asUtf8(bytes: Buffer, encoding: TextEncoding): Buffer {
  return encoding.name === 'utf-8' ? bytes.subarray(markOf(encoding).length) : Buffer.from(decode(bytes, encoding), 'utf8');
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
  // Counted from the end, the lines read are the last ones, and the window is moved there.
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
