import { inBase64, inDecimal, inHex } from './based.ts';
import { escaped } from './escaped.ts';
import { plain, type Reader, Readers } from './reader.ts';

/** The texts that are read: the values, reversed, and in the cases that names of headers have. */
export function textsOf(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => [value, Array.from(value).toReversed().join(''), value.toLowerCase(), value.toUpperCase()]))];
}

/** Readers of some texts, and what made them. */
export interface Notations {
  readonly readers: Readers;
  readonly starts: readonly Reader[];
}

/** Readers of the notations that are not in each other: there are few, whatever is read. */
export function simpleNotations(values: readonly string[]): Notations {
  const readers = new Readers();
  const itself = values.map((text) => plain(readers, Buffer.from(text)));
  const based = [...inBase64(readers, itself), ...inHex(readers, itself), ...inDecimal(readers, itself)];
  return { readers, starts: escaped(readers, [...textsOf(values).map((text) => plain(readers, Buffer.from(text))), ...based]) };
}

/** Readers of all notations in which values are found: in several of them at once, and with up to two escapes in each other. */
export function notationsOf(values: readonly string[]): Notations {
  const readers = new Readers();
  const escape = (starts: readonly Reader[]): Reader[] => escaped(readers, starts);
  const base64 = (starts: readonly Reader[]): Reader[] => inBase64(readers, starts);
  const hex = (starts: readonly Reader[]): Reader[] => inHex(readers, starts);
  const read = (text: string): Reader => plain(readers, Buffer.from(text));
  const itself = values.map(read);
  const written = escape(itself);
  const based = [...base64(written), ...hex(written), ...inDecimal(readers, written)];
  const twice = [...base64(base64(itself)), ...base64(hex(itself)), ...hex(base64(itself))];
  return { readers, starts: escape(escape([...textsOf(values).map(read), ...based, ...twice])) };
}
