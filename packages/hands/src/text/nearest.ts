/** Maximum number of characters of an input. A longer one is no typo, and the time grows with the product of the lengths. */
const MAX_LENGTH = 64;
const MAX_SUGGESTIONS = 3;

/** Returns the Damerau–Levenshtein distance (optimal string alignment). Swapping two neighbors counts once. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + Number(!same));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** Returns how many typing errors lie between two words, regardless of case. Long words are not compared. */
export function slips(given: string, meant: string): number {
  const isLong = Math.max(given.length, meant.length) > MAX_LENGTH;
  return isLong && given !== meant ? Number.POSITIVE_INFINITY : distance(given.toLowerCase(), meant.toLowerCase());
}

/** Returns the choices closest to a mistyped word, best first; an empty list if none is close. */
export function nearest(word: string, choices: Iterable<string>): string[] {
  if (word.length === 0 || word.length > MAX_LENGTH) return [];
  const fold = (text: string): string => text.toLowerCase().replace(/[-\s]/gu, '_');
  const wanted = fold(word);
  return [...choices]
    .map((choice) => {
      const folded = fold(choice);
      const contained = wanted.length >= 3 && (folded.includes(wanted) || wanted.includes(folded));
      return { choice, cost: contained ? 1 : distance(wanted, folded) };
    })
    .filter(({ choice, cost }) => cost <= Math.min(Math.max(2, Math.floor(choice.length / 3)), Math.max(1, Math.floor(wanted.length / 2))))
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ choice }) => choice);
}
