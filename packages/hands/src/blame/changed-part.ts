import { linesOf } from './text-lines.ts';

/** The lines between those at the start and at the end that a change left as they were. */
export interface ChangedPart {
  /** The number of lines before it. */
  readonly start: number;
  /** The number of lines after it. */
  readonly rest: number;
  readonly lines: readonly string[];
}

/** Number of characters that are compared one by one. */
const FEW = 64;

/** The length of the start that two texts have in common. Slices are compared much faster than their characters. */
function commonStart(one: string, other: string, limit: number): number {
  let [same, end] = [0, limit];
  while (end - same > FEW) {
    const middle = Math.ceil((same + end) / 2);
    if (one.slice(same, middle) === other.slice(same, middle)) same = middle;
    else end = middle;
  }
  while (same < end && one.charCodeAt(same) === other.charCodeAt(same)) same += 1;
  return same;
}

/** The length of the end that two texts have in common. */
function commonEnd(one: string, other: string, limit: number): number {
  const [ofOne, ofOther] = [one.length, other.length];
  let [same, end] = [0, limit];
  while (end - same > FEW) {
    const middle = Math.ceil((same + end) / 2);
    if (one.slice(ofOne - middle, ofOne - same) === other.slice(ofOther - middle, ofOther - same)) same = middle;
    else end = middle;
  }
  while (same < end && one.charCodeAt(ofOne - 1 - same) === other.charCodeAt(ofOther - 1 - same)) same += 1;
  return same;
}

function countLineEnds(text: string, from: number): number {
  let found = 0;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) found += 1;
  return found;
}

/** The text with an end of its last line, which makes no other lines of it. */
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const isLineStart = (text: string, at: number): boolean => at === 0 || text.charAt(at - 1) === '\n';

/**
 * Finds what differs between two texts without splitting all of both into lines; undefined where a line may also end in other characters.
 *
 * @param total the number of lines of the text before
 */
export function changedPart(textBefore: string, textAfter: string, total: number): ChangedPart | undefined {
  if (textBefore.includes('\r') || textAfter.includes('\r')) return undefined;
  // A last line without an end is the same line as one that has it.
  const [before, after] = [ended(textBefore), ended(textAfter)];
  const shorter = Math.min(before.length, after.length);
  const same = commonStart(before, after, shorter);
  const first = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1;
  let last = commonEnd(before, after, shorter - first);
  if (!isLineStart(before, before.length - last) || !isLineStart(after, after.length - last)) {
    const next = before.indexOf('\n', before.length - last);
    last = next === -1 ? 0 : before.length - next - 1;
  }
  const rest = countLineEnds(before, before.length - last);
  const old = linesOf(before.slice(first, before.length - last));
  return { start: total - rest - old.length, rest, lines: linesOf(after.slice(first, after.length - last)) };
}
