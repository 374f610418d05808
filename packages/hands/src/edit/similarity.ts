/** Characters of a line that are compared; lines that differ later are alike enough. */
const MAX_CHARACTERS = 400;

function bigrams(text: string): number[] {
  const end = Math.min(text.length, MAX_CHARACTERS);
  const found: number[] = [];
  for (let index = 1; index < end; index += 1) found.push(((text.charCodeAt(index - 1) * 31) ^ text.charCodeAt(index)) & 0xffff);
  return found;
}

/** Compares many lines with one. */
export interface LineComparer {
  /** From 0 for nothing in common to 1 for equal, by pairs of neighbouring characters (Dice's coefficient). */
  similarity(line: string): number;
}

/** Prepares a line to be compared. Linear in the lines, so that a whole file can be gone through. */
export function createLineComparer(wanted: string): LineComparer {
  const counts = new Uint16Array(0x10000);
  const own = bigrams(wanted);
  for (const pair of own) counts[pair] = (counts[pair] ?? 0) + 1;
  return {
    similarity(line) {
      if (line === wanted) return 1;
      const pairs = bigrams(line);
      if (own.length + pairs.length === 0) return 0;
      let shared = 0;
      for (const pair of pairs) {
        const left = counts[pair] ?? 0;
        if (left === 0) continue;
        counts[pair] = left - 1;
        shared += 1;
      }
      // The table is restored for the next line.
      for (const pair of own) counts[pair] = 0;
      for (const pair of own) counts[pair] = (counts[pair] ?? 0) + 1;
      return (2 * shared) / (own.length + pairs.length);
    },
  };
}
