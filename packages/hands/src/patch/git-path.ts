import { displayName, nameFromBytes } from '../workspace/byte-name.ts';

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
const QUOTED = /^"((?:[^"\\]|\\.)*)"/u;
const ESCAPE = /\\([0-7]{1,3}|.)|[^\\]+/gu;

/** Maximum length of quoted paths: two paths of PATH_MAX with each byte as \NNN. */
const MAX_CHARACTERS = 40_000;

/** Parses a name in git's notation: quoted with C escapes if it has unusual bytes. */
export function unquotePath(text: string): string {
  const inner = text.length > MAX_CHARACTERS ? undefined : QUOTED.exec(text)?.[1];
  if (inner === undefined) return text;
  const bytes: Buffer[] = [];
  for (const [part, escape] of inner.matchAll(ESCAPE)) {
    if (escape === undefined) bytes.push(Buffer.from(part));
    else bytes.push(Buffer.from([/^[0-7]/u.test(escape) ? Number.parseInt(escape, 8) & 0xff : (ESCAPES[escape] ?? escape.charCodeAt(0))]));
  }
  const name = nameFromBytes(Buffer.concat(bytes));
  // Bytes that are not UTF-8 are always shown as \xNN escapes.
  return typeof name === 'string' ? name : displayName(name);
}

/** Returns the name in a `---` or `+++` line, without the time that diff(1) writes after a tab. */
export function headerPath(text: string): string {
  return text.startsWith('"') ? unquotePath(text) : (text.split('\t')[0] ?? '').trimEnd();
}

/** Prefixes that git adds to the old and the new name (`diff.mnemonicPrefix` uses the others). */
const PREFIXES: ReadonlyArray<readonly [string, string]> = [
  ['a/', 'b/'],
  ['i/', 'w/'],
  ['c/', 'i/'],
  ['c/', 'w/'],
  ['o/', 'w/'],
];

/** Removes the prefixes of a pair of names. If one name is missing (`undefined`), the other decides. */
export function stripPrefixes(before: string | undefined, after: string | undefined): readonly [string | undefined, string | undefined] {
  for (const [old, fresh] of before === undefined || after === undefined ? PREFIXES.slice(0, 1) : PREFIXES) {
    if (before?.startsWith(old) !== false && after?.startsWith(fresh) !== false) return [before?.slice(old.length), after?.slice(fresh.length)];
  }
  return [before, after];
}

/** Returns the names in a `diff --git` line. Unquoted names can be split only if they differ in nothing but the prefix. */
export function gitLinePaths(text: string): readonly [string, string] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const first = QUOTED.exec(text)?.[0];
  if (first !== undefined) return [unquotePath(first), unquotePath(text.slice(first.length + 1))];
  for (let space = text.indexOf(' '); space !== -1; space = text.indexOf(' ', space + 1)) {
    const [before, after] = [text.slice(0, space), unquotePath(text.slice(space + 1))];
    const [old, fresh] = stripPrefixes(before, after);
    if (old === fresh) return [before, after];
  }
  return undefined;
}
