/** A part of a pattern that stands for code: `$X` for one node, `$$$X` for any number. */
const PART = /\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/gu;
/** A part whose code the matcher does not keep: it has no name, or one that begins with `_`. */
const NOT_KEPT = /^\$+_/u;
const NAMELESS = /\$\$\$(?![A-Z_$])/u;

/** The parts that a replacement puts in and the pattern does not have. */
export function unknownParts(pattern: string, replacement: string): string[] {
  const known = new Set(Array.from(pattern.matchAll(PART), ([part]) => part));
  return [...new Set(Array.from(replacement.matchAll(PART), ([part]) => part))].filter((part) => !known.has(part));
}

/** The parts that a replacement puts in and the matcher does not keep: nothing would be in their place. */
export function partsNotKept(pattern: string, replacement: string): string[] {
  const parts = Array.from(replacement.matchAll(PART), ([part]) => part).filter((part) => NOT_KEPT.test(part));
  return [...new Set([...parts, ...(NAMELESS.test(pattern) && NAMELESS.test(replacement) ? ['$$$'] : [])])];
}

/** A replacement with the code of a match. */
export interface FilledTemplate {
  readonly text: string;
  /** Where the code of single nodes is in the text. */
  readonly parts: ReadonlyArray<{ readonly start: number; readonly end: number }>;
}

/**
 * Puts the code of a match into a replacement.
 *
 * @param codeOf the code of a part by its name, whether it is of any number of nodes, and the indentation of the line that it comes to
 */
export function fillTemplate(replacement: string, codeOf: (name: string, many: boolean, indent: string) => string): FilledTemplate {
  let [text, kept] = ['', 0];
  const parts: Array<FilledTemplate['parts'][number]> = [];
  for (const found of replacement.matchAll(PART)) {
    const [part, many, one] = found;
    text += replacement.slice(kept, found.index);
    kept = found.index + part.length;
    const start = text.length;
    text += codeOf(many ?? one ?? '', many !== undefined, indentAt(replacement, found.index));
    if (many === undefined) parts.push({ start, end: text.length });
  }
  return { text: text + replacement.slice(kept), parts };
}

/** The white space at the start of the line that holds a place. */
export function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(start, at))?.[0] ?? '';
}

/** Writes a replacement as the file would: with its line ends, and with the indentation of the line that is replaced. */
export function asInFile(replacement: string, text: string, at: number): string {
  const lineEnd = /\r?\n/u.exec(text)?.[0] ?? '\n';
  const indent = indentAt(text, at);
  return replacement
    .split(/\r?\n/u)
    .map((line, index) => (index === 0 || line.trim() === '' ? line : indent + line))
    .join(lineEnd);
}

/**
 * Moves code to another indentation: its lines after the first.
 *
 * @param isKept whether the line that begins after a place stays, as it is part of a text
 */
export function reindented(code: string, from: string, to: string, isKept: (lineEnd: number) => boolean): string {
  if (from === to) return code;
  return code.replaceAll(/\n([ \t]*)(?=[^\s])/gu, (line, indent: string, at: number) =>
    indent.startsWith(from) && !isKept(at) ? `\n${to}${indent.slice(from.length)}` : line,
  );
}

/** The longest word that each match has; undefined if the pattern has none. */
export function wordOf(pattern: string): string | undefined {
  const words = pattern.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return words.filter((word) => /^[\p{L}_][^$]*$/u.test(word)).toSorted((one, other) => other.length - one.length)[0];
}
