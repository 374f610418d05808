import type * as z from 'zod';
import { CHANGES, CONFLICTS } from '../git/parse-status.ts';
import { count } from '../text/amounts.ts';
import type { gitStatus } from '../tools/git-status.ts';
import { unescapeName } from '../workspace/byte-name.ts';

type Status = z.output<(typeof gitStatus)['output']>;

/** Git's escapes of single bytes; others are octal. */
const ESCAPES: Readonly<Record<number, string>> = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 34: '"', 92: '\\' };

/** Formats a path as in git's short format: quoted if it is not plain ASCII, or contains a space. */
export function quotePath(path: string): string {
  if (/^[!#-[\]-~]+$/u.test(path)) return path;
  const bytes = Buffer.from(unescapeName(path));
  const quoted = Array.from(bytes, (byte) => {
    const escape = ESCAPES[byte];
    if (escape !== undefined) return `\\${escape}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
  }).join('');
  return `"${quoted}"`;
}

function letterOf<Key extends string>(table: Readonly<Record<Key, string>>, meaning: string): string {
  return Object.entries(table).find(([, value]) => value === meaning)?.[0] ?? '?';
}

interface Line {
  index: string;
  workingTree: string;
  from?: string | undefined;
}

/** Formats a status like `git status --porcelain` (version 1): changes in path order, then untracked files. */
export function porcelainText({ staged, unstaged, conflicted, untracked, counts }: Status): string {
  const lines = new Map<string, Line>();
  const lineOf = (path: string): Line => {
    const known = lines.get(path) ?? { index: ' ', workingTree: ' ' };
    lines.set(path, known);
    return known;
  };
  for (const { path, from, status } of staged) Object.assign(lineOf(path), { index: letterOf(CHANGES, status), from });
  for (const { path, from, status } of unstaged) {
    const line = lineOf(path);
    line.workingTree = letterOf(CHANGES, status);
    line.from ??= from;
  }
  for (const { path, conflict } of conflicted) {
    const [index = 'U', workingTree = 'U'] = letterOf(CONFLICTS, conflict);
    Object.assign(lineOf(path), { index, workingTree });
  }
  const changed = [...lines]
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(
      ([path, { index, workingTree, from }]) => `${index}${workingTree} ${from === undefined ? '' : `${quotePath(from)} -> `}${quotePath(path)}\n`,
    );
  const left = Object.values(counts).reduce((sum, amount) => sum + amount) - staged.length - unstaged.length - conflicted.length - untracked.length;
  return [
    ...changed,
    ...untracked.map((path) => `?? ${quotePath(path)}\n`),
    // The format has no other place for this than a header line; omitting it would mislead.
    ...(left === 0 ? [] : [`## ${count(left, 'more entry', 'more entries')} left out\n`]),
  ].join('');
}
