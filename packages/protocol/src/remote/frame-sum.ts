/** UTF-16 units at each end of a text that its sum covers. What is between them is content, which has a hash or a seal of its own. */
const COVERED = 4_096;
/** How the text of a frame begins that has a sum. */
export const SUMMED = '{"sum":"';
const DIGITS = 8;
/** Length of a sum in a text. Sums do not count against the credit of a line. */
export const SUM_LENGTH = SUMMED.length + DIGITS + '",'.length - '{'.length;
/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/. It finds damage; it is no proof of who sent a text. */
const PRIME = 0x01_00_01_93;
const BASIS = 0x81_1c_9d_c5;

function mix(before: number, text: string, from: number, to: number): number {
  let hash = before;
  for (let index = from; index < to; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash;
}

/** Computes the sum of the part of a text that begins at an index. */
function sumOf(seed: string, text: string, from: number): string {
  const length = text.length - from;
  const seeded = mix(BASIS ^ length, seed, 0, seed.length);
  const ends = length > 2 * COVERED;
  const head = mix(seeded, text, from, ends ? from + COVERED : text.length);
  const hash = ends ? mix(head, text, text.length - COVERED, text.length) : head;
  return (hash >>> 0).toString(16).padStart(DIGITS, '0');
}

/**
 * Adds the sum to the text of a frame, so that damage on the way is detected before the text is believed.
 * Words such as `ping` have none.
 *
 * @param seed identifies the connection: a text of another connection does not fit
 */
export const withSum = (seed: string, text: string): string => (text.startsWith('{') ? `${SUMMED}${sumOf(seed, text, 1)}",${text.slice(1)}` : text);

/** Whether a text fits its sum. `none`: it has no sum. */
export function checkSum(seed: string, text: string): 'fits' | 'damaged' | 'none' {
  if (!text.startsWith(SUMMED)) return 'none';
  const start = SUMMED.length + DIGITS + '",'.length;
  const isWhole =
    text.slice(SUMMED.length + DIGITS, start) === '",' && text.slice(SUMMED.length, SUMMED.length + DIGITS) === sumOf(seed, text, start);
  return isWhole ? 'fits' : 'damaged';
}
