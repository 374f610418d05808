/** Characters of a line that are shown. */
const LINE_CHARACTERS = 500;
/** Of these, so many come before the match in a line that is cut. */
const BEFORE_CHARACTERS = 120;

/** Halves of a character where a line was cut. */
const HALVES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;
const CONTINUATION = 0b1000_0000;

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** A line cut at its end where it is long. */
export function cutLine(line: string): string {
  const text = withoutReturn(line);
  return text.length <= LINE_CHARACTERS ? text : `${text.slice(0, LINE_CHARACTERS).replace(HALVES, '')}…`;
}

/** Bytes that begin in the middle of a character begin with the rest of it. */
function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0b1100_0000) === CONTINUATION) start += 1;
  return bytes.subarray(start);
}

/**
 * A line as it is shown: whole, or the part around its match.
 *
 * @param before what of the line comes before the match
 * @param rest what of it begins with the match
 * @param isCut whether the line begins before `before`
 */
export function lineAround(before: Buffer, rest: Buffer, isCut: boolean): string {
  const left = (isCut ? fromWholeCharacter(before) : before).toString();
  const right = withoutReturn(rest.toString());
  if (!isCut && left.length + right.length <= LINE_CHARACTERS) return left + right;
  const shownLeft = isCut || left.length > BEFORE_CHARACTERS ? `…${left.slice(-BEFORE_CHARACTERS).replace(HALVES, '')}` : left;
  return shownLeft + cutAt(right, LINE_CHARACTERS - shownLeft.length);
}

function cutAt(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters).replace(HALVES, '')}…`;
}
