import * as z from 'zod';

/** Texts shorter than this travel as they are: a reference has about 50 characters. */
const LEAST = 200;
/** Maximum number of references in a result. */
const MOST = 64;
/** Maximum number of searches for them: a hostile repository can make one walk through the text many times. */
const MOST_SEARCHES = 256;
/** How many times the length of the text they may put back: a hostile machine could make a result 64 times as large as what it sent. */
const MOST_TIMES = 8;

/** A text inside a value that is a part of another text: where it is in the value, and where it begins and ends in the other text. */
export const TextReference = z.tuple([
  z
    .array(z.union([z.string(), z.int().min(0)]))
    .min(1)
    .max(32),
  z.int().min(0),
  z.int().min(0),
]);
export type TextReference = z.infer<typeof TextReference>;
export const TextReferences = z.array(TextReference).max(MOST);

type Path = TextReference[0];

/** Where a text is in another one; -1 if it is not. Mostly it is all of the other but for a note before it, which is found without a search. */
function placeOf(one: string, text: string): number {
  const last = text.length - one.length;
  // V8 compares two texts at once, and `endsWith` character by character: ten times as long.
  return last >= 0 && text.slice(last) === one ? last : text.indexOf(one);
}

/**
 * Takes long texts out of a value that also are in another text, so that they travel once.
 *
 * @returns the value with empty texts in their places, and the references that put them back
 */
export function takeTexts(value: unknown, text: string): { readonly value: unknown; readonly references: readonly TextReference[] } {
  const references: TextReference[] = [];
  let [searches, left] = [MOST_SEARCHES, text.length * MOST_TIMES];
  const take = (one: unknown, path: Path): unknown => {
    if (typeof one === 'string') {
      if (one.length < LEAST || one.length > left || searches === 0 || references.length >= MOST || path.length === 0) return one;
      searches -= 1;
      const from = placeOf(one, text);
      if (from < 0) return one;
      left -= one.length;
      references.push([path, from, from + one.length]);
      return '';
    }
    if (path.length >= 32 || typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) return one.map((item: unknown, index) => take(item, [...path, index]));
    // As JSON has it: what has a form of its own there, such as a date, keeps it.
    if ('toJSON' in one) return one;
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, take(item, [...path, name])]));
  };
  return { value: take(value, []), references };
}

/** Returns the part of a value at a path; undefined if there is none. */
function partAt(value: unknown, path: Path): unknown {
  let part = value;
  for (const key of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  return part;
}

/** Puts texts back into a value that was read from JSON. @throws RangeError for a reference to nothing, and for too much text */
export function putTexts(value: unknown, text: string, references: readonly TextReference[]): unknown {
  const length = references.reduce((sum, [, from, end]) => sum + Math.max(0, end - from), 0);
  if (length > text.length * MOST_TIMES) throw new RangeError('The references of the result repeat its text too often.');
  for (const [path, from, end] of references) {
    const owner = partAt(value, path.slice(0, -1));
    const key = path.at(-1) ?? '';
    // Only a place that a text was taken from: nothing else of the value can be overwritten.
    if (partAt(value, path) !== '' || typeof owner !== 'object' || owner === null || from > end || end > text.length)
      throw new RangeError('A reference of the result leads nowhere.');
    Reflect.set(owner, key, text.slice(from, end));
  }
  return value;
}
