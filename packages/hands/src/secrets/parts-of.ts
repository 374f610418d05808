/** Minimum number of characters of a part. What is shorter could be part of any text. */
const MIN_CHARACTERS = 16;
/** Maximum number of parts: a key has 50 lines, and each makes reading all outputs a little dearer. */
const MAX_PARTS = 200;

/**
 * The parts of a value of several lines that are secret by themselves: the lines of a key, and keys in JSON. Such a value is rarely shown as it
 * is: a diff, a quotation, line numbers and indentation put something before each line, a terminal ends them in another way, and `head` shows the first ones.
 *
 * Words are no parts, nor are addresses and the lines at which keys begin and end: others have the same.
 */
export function partsOf(value: string): string[] {
  if (!/[\r\n]/u.test(value)) return [];
  const words = value.split(/(?:[\s"',;]|\\n)+/u).filter((word) => word.length >= MIN_CHARACTERS && !word.includes('://') && !word.includes('-----'));
  return [...new Set(words.filter((word) => /\d/u.test(word) && /[a-z]/iu.test(word)))].slice(0, MAX_PARTS);
}
