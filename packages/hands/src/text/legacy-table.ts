import { textDecoder } from './text-decoder.ts';

type Decoder = ReturnType<typeof textDecoder>;

/** The encoder table of a legacy encoding: the reverse of what `TextDecoder` reads. */
export interface LegacyTable {
  /** Code point → its bytes as a number: one byte below 256, otherwise two with the first in the high byte. */
  readonly bytes: ReadonlyMap<number, number>;
  readonly singleByte: boolean;
}

/** Double-byte encodings, by their WHATWG names. */
const DOUBLE_BYTE: ReadonlySet<string> = new Set(['shift_jis', 'euc-jp', 'euc-kr', 'big5', 'gbk', 'gb18030']);

/** Lead bytes of rows that repeat characters of other rows. Software writes the other rows. */
const REPEATED_LEADS: Readonly<Record<string, readonly number[]>> = { shift_jis: [0xed, 0xee], 'euc-jp': [0xfc] };

/** Whether a legacy encoding writes some characters as two bytes. */
export function isDoubleByte(name: string): boolean {
  return DOUBLE_BYTE.has(name);
}

const tables = new Map<string, LegacyTable>();

function addSingleBytes(decoder: Decoder, bytes: Map<number, number>): void {
  for (let byte = 0; byte < 256; byte += 1) {
    const text = decoder.decode(Uint8Array.of(byte));
    // An undefined byte or half of a pair decodes to the replacement character.
    if (text.length === 1 && text !== '\u{fffd}' && !bytes.has(text.charCodeAt(0))) bytes.set(text.charCodeAt(0), byte);
  }
}

function addPairs(decoder: Decoder, lead: number, bytes: Map<number, number>): void {
  const FIRST_TRAIL = 0x40;
  const pairs = new Uint8Array((0xff - FIRST_TRAIL) * 3);
  // A line feed is never the second byte of a pair, so it separates the results.
  for (let trail = FIRST_TRAIL; trail < 0xff; trail += 1) pairs.set([lead, trail, 0x0a], (trail - FIRST_TRAIL) * 3);
  decoder
    .decode(pairs)
    .split('\n')
    .forEach((text, index) => {
      const point = text.codePointAt(0);
      if (point === undefined || point === 0xfffd || text.length !== String.fromCodePoint(point).length || bytes.has(point)) return;
      bytes.set(point, (lead << 8) | (FIRST_TRAIL + index));
    });
}

/** Returns the table of an encoding. It is built on first use, which takes some milliseconds for a double-byte encoding. */
export function legacyTable(name: string): LegacyTable {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const decoder = textDecoder(name, { ignoreBOM: true });
  const bytes = new Map<number, number>();
  const singleByte = !isDoubleByte(name);
  if (!singleByte) {
    const last = REPEATED_LEADS[name] ?? [];
    const leads = Array.from({ length: 0xff - 0x81 }, (_, index) => 0x81 + index);
    for (const lead of [...leads.filter((lead) => !last.includes(lead)), ...last]) addPairs(decoder, lead, bytes);
  }
  // After the pairs: GB18030 decodes a single 80 as the euro sign, but encodes it as a pair.
  addSingleBytes(decoder, bytes);
  const table = { bytes, singleByte };
  tables.set(name, table);
  return table;
}
