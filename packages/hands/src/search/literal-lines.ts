import { EVIDENCE_BYTES, type MatchRecord } from './match-record.ts';

const NEWLINE = 0x0a;
/** Maximum bytes of a line with a match. ripgrep's report of a longer one may be cut. */
const MAX_LINE_BYTES = 16 * 1024;
const MARKS = [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * Finds the lines of a file that hold a text, as ripgrep does. Undefined for a file that ripgrep does not read byte by byte from its start
 * to its end, such as binary files and those that begin with a byte order mark, and where a line is too long.
 *
 * @param path the file, as ripgrep names it
 */
export function literalLines(bytes: Buffer, text: Buffer, path: Buffer, atMost: number): MatchRecord[] | undefined {
  if (bytes.includes(0) || MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark))) return undefined;
  const records: MatchRecord[] = [];
  let [line, lineStart] = [1, 0];
  for (let found = bytes.indexOf(text); found !== -1 && records.length < atMost; found = bytes.indexOf(text, lineStart)) {
    for (let end = bytes.indexOf(NEWLINE, lineStart); end !== -1 && end < found; end = bytes.indexOf(NEWLINE, lineStart)) {
      line += 1;
      lineStart = end + 1;
    }
    const end = bytes.indexOf(NEWLINE, found);
    const lineEnd = end === -1 ? bytes.length : end;
    if (lineEnd - lineStart > MAX_LINE_BYTES) return undefined;
    records.push({
      path,
      line,
      offset: lineStart,
      text: bytes.subarray(lineStart, Math.min(lineEnd, lineStart + EVIDENCE_BYTES)),
      start: found - lineStart,
      match: bytes.subarray(found, Math.min(lineEnd, found + EVIDENCE_BYTES)),
    });
    if (end === -1) break;
    line += 1;
    lineStart = lineEnd + 1;
  }
  return records;
}
