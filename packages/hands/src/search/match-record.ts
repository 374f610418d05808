import * as z from 'zod';

/** What ripgrep claims about a line. Evidence to be proven, never shown: it was read by name. */
export interface MatchRecord {
  /** As ripgrep names the file. */
  readonly path: Buffer;
  readonly line: number;
  /** Where the line begins, in bytes of the file's UTF-8 text without a byte order mark. */
  readonly offset: number;
  /** The line, or the beginning of a long one. */
  readonly text: Buffer;
  /** Where the match begins in the line, in bytes. */
  readonly start: number;
  /** The match, or the beginning of a long one. */
  readonly match: Buffer;
}

/** More of a line proves nothing more, and thousands of candidates wait for their proof. */
const EVIDENCE_BYTES = 4 * 1024;

/** A text, or base64 of what is not UTF-8. */
const Bytes = z
  .union([z.object({ text: z.string() }), z.object({ bytes: z.string() })])
  .transform((value) => ('text' in value ? Buffer.from(value.text) : Buffer.from(value.bytes, 'base64')));
const Evidence = Bytes.transform((bytes) => (bytes.length > EVIDENCE_BYTES ? Buffer.from(bytes.subarray(0, EVIDENCE_BYTES)) : bytes));

const Match = z.object({
  data: z.object({
    path: Bytes,
    lines: Evidence,
    line_number: z.int().positive(),
    absolute_offset: z.int().nonnegative(),
    // A tuple, since one is enough: the first match.
    submatches: z.tuple([z.object({ match: Evidence, start: z.int().nonnegative() })], z.unknown()),
  }),
});

const MATCH = Buffer.from('{"type":"match"');

/** Whether a record is about a matching line; the others tell of files and sums. */
export function isMatch(record: Buffer): boolean {
  return record.subarray(0, MATCH.length).equals(MATCH);
}

/** Reads a record of a matching line; undefined where it has not the form it should have. */
export function parseMatch(record: Buffer): MatchRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(record.toString());
  } catch {
    // A record that was cut beyond reading is no evidence.
    return undefined;
  }
  const parsed = Match.safeParse(value);
  if (!parsed.success) return undefined;
  const { path, lines, line_number: line, absolute_offset: offset, submatches } = parsed.data.data;
  const [first] = submatches;
  return { path, line, offset, text: lines, start: first.start, match: first.match };
}
