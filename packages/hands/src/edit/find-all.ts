/** Maximum number of character comparisons for which the engine's search is used. It is faster even at its worst (about 0.1 s). */
const NATIVE_COMPARISONS = 1e8;

/** Returns the length of the longest proper prefix that is also a suffix, for each prefix of the pattern (Knuth, Morris, Pratt). */
function failureTable(pattern: string): Int32Array {
  const table = new Int32Array(pattern.length);
  let length = 0;
  for (let index = 1; index < pattern.length; index += 1) {
    const unit = pattern.charCodeAt(index);
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = table[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === unit) length += 1;
    table[index] = length;
  }
  return table;
}

function* findLinear(text: string, pattern: string, overlapping: boolean): Generator<number> {
  const table = failureTable(pattern);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = table[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    if (matched !== pattern.length) continue;
    yield index + 1 - pattern.length;
    matched = overlapping ? (table[matched - 1] ?? 0) : 0;
  }
}

/**
 * Finds the occurrences of a pattern, in order. Takes linear time in text and pattern even for hostile input, for
 * which `indexOf` takes their product.
 * @param overlapping also yields occurrences that overlap the previous one
 */
export function* findAll(text: string, pattern: string, overlapping: boolean): Generator<number> {
  if (pattern.length === 0 || pattern.length > text.length) return;
  if (text.length * pattern.length > NATIVE_COMPARISONS) {
    yield* findLinear(text, pattern, overlapping);
    return;
  }
  const step = overlapping ? 1 : pattern.length;
  for (let index = text.indexOf(pattern); index !== -1; index = text.indexOf(pattern, index + step)) yield index;
}

/** Returns the first position of a pattern, as `indexOf` does, but in linear time even for hostile input; -1 if there is none. */
export function findFirst(text: string, pattern: string): number {
  for (const position of findAll(text, pattern, false)) return position;
  return -1;
}

/** Returns the longest prefix of a pattern that occurs in a text, and its first position. */
export function longestPrefix(text: string, pattern: string): { length: number; position: number } {
  const table = failureTable(pattern);
  let best = { length: 0, position: 0 };
  let matched = 0;
  for (let index = 0; index < text.length && best.length < pattern.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = table[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    if (matched > best.length) best = { length: matched, position: index + 1 - matched };
  }
  return best;
}
