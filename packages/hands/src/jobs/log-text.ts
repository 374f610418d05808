import { EscapeStripper, LineFolder } from '../text/terminal-text.ts';

/** Maximum number of characters of an escape sequence. A longer one is not expected to end. */
const MAX_SEQUENCE = 256;
/** An incomplete escape sequence (ECMA-48), or a carriage return that a line feed may follow. */
// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character, and BEL may end them
const CUT_OFF = /(?:\u001b(?:[ -/]*|\[[ -?]*|[\]PX^_][^\u0007\u001b\n\r]*\u001b?)|\r)$/u;

/** Returns the number of bytes at the end that belong to an incomplete character. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

/** Returns the number of bytes at the beginning that belong to an earlier character. */
function strayBytes(bytes: Uint8Array): number {
  let stray = 0;
  while (stray < Math.min(3, bytes.length) && ((bytes[stray] ?? 0) & 0xc0) === 0x80) stray += 1;
  return stray;
}

/** The text of a part of a log. */
export interface LogText {
  readonly text: string;
  /** Number of bytes that the text represents. The rest is the beginning of a sequence that continues in later output. */
  readonly consumed: number;
}

/**
 * Converts bytes of a log to text for a model: without escape sequences, and with each line in its final state on a terminal.
 *
 * @param begins whether this is the beginning of the log
 * @param ends whether this is the end of the log; incomplete sequences are then included
 */
export function logText(bytes: Uint8Array, { begins, ends }: { readonly begins: boolean; readonly ends: boolean }): LogText {
  let end = ends ? bytes.length : bytes.length - incompleteBytes(bytes);
  if (!ends) {
    const tail = Buffer.from(bytes.subarray(Math.max(0, end - MAX_SEQUENCE), end)).toString('latin1');
    end -= CUT_OFF.exec(tail)?.[0].length ?? 0;
  }
  const start = begins ? 0 : Math.min(strayBytes(bytes), end);
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
  const folder = new LineFolder();
  const text = folder.take(new EscapeStripper().strip(decoded));
  return { text: text + folder.finish(), consumed: end };
}

/** Returns the last non-empty line of a text. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
