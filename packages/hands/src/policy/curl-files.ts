import type { KnownWord } from './command-pattern.ts';

/** Files that an argument of curl may send or read headers from. */
export interface SentFiles {
  /** The most likely reading. */
  readonly reads: readonly string[];
  /** Other possible files in the argument: a form accepts several files, in quotes, and header files. */
  readonly possiblePaths: readonly string[];
}

/** Returns the files in `-d @file`, `--data-urlencode name@file`, `-F name=@file`, `-F name=<file`, `-F 'a=@one,two;headers=@three'`. */
export function sentFiles(words: readonly KnownWord[]): SentFiles {
  const reads: string[] = [];
  const possiblePaths: string[] = [];
  for (const word of words) {
    if (word === undefined || /^https?:/u.test(word)) continue;
    for (const [, file = ''] of [/@(.+)$/su.exec(word) ?? [], /=<(.+)$/su.exec(word) ?? []]) {
      if (file === '') continue;
      reads.push(file);
      possiblePaths.push(...file.split(/[\s"\\=@<>,;]+/u).filter((piece) => piece !== '' && piece !== file));
    }
  }
  return { reads, possiblePaths };
}

/** Returns the file names of a download that is named after its address: the last part of the path, raw and decoded. */
export function namesOfAddresses(words: readonly KnownWord[]): string[] {
  const names = words.slice(1).flatMap((word) => {
    if (word === undefined || word.startsWith('-')) return [];
    const last = word.replace(/[?#].*$/su, '').replace(/^.*\//su, '');
    return [last, decoded(last)];
  });
  return [...new Set(names)].filter((name) => name !== '' && name !== '.' && name !== '..');
}

/** Decodes a part of an address. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8: the rules see the raw text.
    return path;
  }
}
