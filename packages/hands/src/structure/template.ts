/** A part of a pattern that stands for code: `$X` for one node, `$$$X` for any number. */
const PART = /\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/gu;

/** The parts that a replacement puts in and the pattern does not have. */
export function unknownParts(pattern: string, replacement: string): string[] {
  const known = new Set(Array.from(pattern.matchAll(PART), ([part]) => part));
  return [...new Set(Array.from(replacement.matchAll(PART), ([part]) => part))].filter((part) => !known.has(part));
}

/** Puts the code of a match into a replacement. @param codeOf the code of a part by its name, and whether it is of any number of nodes */
export function fillTemplate(replacement: string, codeOf: (name: string, many: boolean) => string): string {
  return replacement.replaceAll(PART, (_, many: string | undefined, one: string | undefined) => codeOf(many ?? one ?? '', many !== undefined));
}

/** The longest word that each match has; undefined if the pattern has none. */
export function wordOf(pattern: string): string | undefined {
  const words = pattern.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return words.filter((word) => /^[\p{L}_][^$]*$/u.test(word)).toSorted((one, other) => other.length - one.length)[0];
}
