import * as z from 'zod';

/** ripgrep's report of a matching line. It was read by name, so it must be verified and is never shown. */
export interface MatchRecord {
  /** The file, as ripgrep names it. */
  readonly path: Buffer;
  readonly line: number;
  /** Start of the line, in bytes of the file's UTF-8 text without a byte order mark. */
  readonly offset: number;
  /** The line, or the beginning of a long one. */
  readonly text: Buffer;
  /** Start of the match in the line, in bytes. */
  readonly start: number;
  /** The match, or the beginning of a long one. */
  readonly match: Buffer;
}

/** Maximum number of bytes kept of a line and of a match. More adds no evidence, and thousands of candidates may be queued. */
export const EVIDENCE_BYTES = 4 * 1024;

/** Text, or base64 if it is not UTF-8. */
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
    // Reads only the first match; one is enough.
    submatches: z.tuple([z.object({ match: Evidence, start: z.int().nonnegative() })], z.unknown()),
  }),
});

const MATCH = Buffer.from('{"type":"match"');

/** Whether a record is about a matching line. Other records are about files and totals. */
export function isMatch(record: Buffer): boolean {
  return record.subarray(0, MATCH.length).equals(MATCH);
}

/** Parses the record of a matching line; undefined if it is malformed. */
export function parseMatch(record: Buffer): MatchRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(record.toString());
  } catch {
    // The record was cut in a way that makes it unreadable.
    return undefined;
  }
  const parsed = Match.safeParse(value);
  if (!parsed.success) return undefined;
  const { path, lines, line_number: line, absolute_offset: offset, submatches } = parsed.data.data;
  const [first] = submatches;
  return { path, line, offset, text: lines, start: first.start, match: first.match };
}
