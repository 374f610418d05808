import { EscapeStripper } from '../shape/escape-stripper.ts';
import { LineFolder } from '../shape/line-folder.ts';

/** A sequence that is longer was never meant to end. */
const MAX_SEQUENCE = 256;
/** An escape sequence without its end (ECMA-48), or a carriage return that a line feed may follow. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CUT_OFF = /(?:\u001b(?:[ -/]*|\[[ -?]*|[\]PX^_][^\u0007\u001b\n\r]*\u001b?)|\r)$/u;

/** How many bytes at the end belong to a character whose other bytes have not come yet. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the beginning belong to a character that began before. */
function strayBytes(bytes: Uint8Array): number {
  let stray = 0;
  while (stray < Math.min(3, bytes.length) && ((bytes[stray] ?? 0) & 0xc0) === 0x80) stray += 1;
  return stray;
}

/** Text of a part of a log. */
export interface LogText {
  readonly text: string;
  /** How many of the bytes it stands for; the rest is the beginning of something that goes on in what is to come. */
  readonly consumed: number;
}

/**
 * Bytes of a log as a model reads them: without escape sequences, lines as a terminal shows them at last.
 *
 * @param begins whether nothing came before
 * @param ends whether nothing comes after: then what is incomplete is shown as it is
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

/** The last line of a text that is not empty. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
