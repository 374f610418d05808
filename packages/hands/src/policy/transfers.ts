import type { KnownWord } from './command-pattern.ts';

/** Files that a word of curl may send, or take headers from. */
export interface SentFiles {
  /** As curl most likely reads it. */
  readonly reads: readonly string[];
  /** What else in the word may be a file: a form takes several, in quotes, and files with headers. */
  readonly mentions: readonly string[];
}

/** `-d @file`, `--data-urlencode name@file`, `-F name=@file`, `-F name=<file`, `-F 'a=@one,two;headers=@three'`. */
export function sentFiles(words: readonly KnownWord[]): SentFiles {
  const reads: string[] = [];
  const mentions: string[] = [];
  for (const word of words) {
    if (word === undefined || /^https?:/u.test(word)) continue;
    for (const [, file = ''] of [/@(.+)$/su.exec(word) ?? [], /=<(.+)$/su.exec(word) ?? []]) {
      if (file === '') continue;
      reads.push(file);
      mentions.push(...file.split(/[\s"\\=@<>,;]+/u).filter((piece) => piece !== '' && piece !== file));
    }
  }
  return { reads, mentions };
}

/** The names that a download gets where the address names it: the last part of its path, as it is and decoded. */
export function namesOfAddresses(words: readonly KnownWord[]): string[] {
  const names = words.slice(1).flatMap((word) => {
    if (word === undefined || word.startsWith('-')) return [];
    const last = word.replace(/[?#].*$/su, '').replace(/^.*\//su, '');
    return [last, decoded(last)];
  });
  return [...new Set(names)].filter((name) => name !== '' && name !== '.' && name !== '..');
}

/** A part of an address without its escapes. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8: the rules see it as it is written.
    return path;
  }
}
