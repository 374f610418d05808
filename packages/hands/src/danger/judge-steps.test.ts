import { expect, it } from 'vitest';
import { textTree } from '../testing/text-tree.ts';
import { DangerJudge } from './danger-judge.ts';
import { readSettings } from './git-settings.ts';
import type { TreeView } from './tree-view.ts';

type Files = Readonly<Record<string, string | null>>;

const REPOSITORY: Files = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects': null, '.git/refs': null };
const many = (count: number, entry: (index: number) => readonly [string, string]): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));
const lines = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, index) => line(index)).join('');
const config = (text: string): Files => ({ ...REPOSITORY, '.git/config': text });

/** Counts every look at a tree. */
function counted(view: TreeView): TreeView & { readonly count: () => number } {
  let looks = 0;
  const counting =
    <Given extends readonly unknown[], T>(work: (...given: Given) => T) =>
    (...given: Given): T => {
      looks += 1;
      return work(...given);
    };
  const { type, readText, readBytes, linkText, names } = view;
  return {
    type: counting(type),
    readText: counting(readText),
    readBytes: counting(readBytes),
    linkText: counting(linkText),
    names: counting(names),
    count: () => looks,
  };
}

/** Judges a harmless change of a file. */
function judged(files: Files, path = 'src/a.txt'): { readonly looks: number; readonly reason: string | undefined } {
  const [before, after] = [counted(textTree(files)), counted(textTree({ ...files, [path]: 'x' }))];
  const judge = new DangerJudge({ before, after, rootPath: '/w', elsewhere: [], differs: (at) => at === path || at === 'src' });
  const reason = judge.judge(path)?.reason;
  return { looks: before.count() + after.count(), reason };
}

const SRC: Files = { 'src/b.txt': 'x' };

/** What a clone can bring, by its size. */
const SHAPES: Readonly<Record<string, (size: number) => Files>> = {
  'links beside each other': (size) => many(size, (index) => [`.vscode/l${index}`, `-> ../t${index}`]),
  'a chain of links': (size) => many(size, (index) => [`.vscode/l${index}`, `-> l${index + 1}`]),
  'links through links': (size) => ({ ...many(size, (index) => [`.claude/l${index}`, `-> ../d/d/d/t${index}`]), 'd/d': '-> ../d' }),
  'links to one chain': (size) => ({
    ...many(size, (index) => [`.vscode/l${index}`, '-> ../c0']),
    ...many(30, (index) => [`c${index}`, `-> c${index + 1}`]),
  }),
  aliases: (size) => config(`[alias]\n${lines(size, (index) => `\ta${index} = !./scripts/x${index} src/y lib\n`)}`),
  'one alias, many times': (size) => config(`[alias]\n${lines(size, () => '\ta = !./x\n')}`),
  'aliases of many words': (size) => ({
    ...config(`[alias]\n${lines(size, (index) => `\ta${index} = !${lines(90, (word) => ` src w${word}`)}\n`)}`),
  }),
  worktrees: (size) => config(lines(size, (index) => `[core]\n\tworktree = ../t${index}\n\thooksPath = h${index}\n`)),
  includes: (size) => ({
    ...config(lines(size, (index) => `[include]\n\tpath = ../i${index}\n`)),
    ...many(size, (index) => [`i${index}`, `[include]\n\tpath = i${index + 1}\n[core]\n\thooksPath = h\n`]),
  }),
  'protected files': (size) => many(size, (index) => [`.vscode/f${index}`, 'x']),
};

/** Steps are bounded at 60,000, and each look at a tree is one at least. */
const MAX_LOOKS = 30_000;

it.each(Object.entries(SHAPES))('%s are judged in a bounded number of looks', (_, make) => {
  const [small, large] = [judged({ ...SRC, ...make(50) }), judged({ ...SRC, ...make(2_000) })];
  expect(small.reason).toBeUndefined();
  expect(large.looks).toBeLessThan(MAX_LOOKS);
  // Whatever could not be looked at counts as named.
  const beyond = judged({ ...SRC, ...make(20_000) });
  expect(beyond.looks).toBeLessThan(MAX_LOOKS);
  expect([undefined, 'named-by-git']).toContain(beyond.reason);
});

it('links in each of the folders above a change are bounded together', () => {
  const above = Array.from({ length: 30 }, (_, depth) => 'd/'.repeat(depth + 1));
  const links = (count: number): Files =>
    Object.assign({}, ...above.map((folder) => many(count, (index) => [`${folder}.vscode/l${index}`, `-> ../t${index}`])));
  const judgedBelow = (files: Files): ReturnType<typeof judged> => judged({ 'd/d/b.txt': 'x', ...files }, `${'d/'.repeat(30)}a.txt`);
  expect(judgedBelow(links(15)).reason).toBeUndefined();
  const large = judgedBelow(links(500));
  expect(large.reason).toBe('named-by-git');
  expect(large.looks).toBeLessThan(2 * MAX_LOOKS);
});

it('2,000 links are no reason to ask, and 20,000 are', () => {
  const links = SHAPES['links beside each other'];
  expect(judged({ ...SRC, ...links?.(2_000) }).reason).toBeUndefined();
  expect(judged({ ...SRC, ...links?.(20_000) }).reason).toBe('named-by-git');
});

it('finds what is behind the links all the same', () => {
  const files = { ...SRC, ...SHAPES['a chain of links']?.(500), '.vscode/l500': '-> ../src/a.txt' };
  expect(judged(files).reason).toBe('named-by-git');
});

it('parses a line with many blanks in one go', () => {
  const blanks = ' '.repeat(300_000);
  expect(readSettings(`[a]\n\tb = c${blanks}d\n\te =${blanks}\u2028x\ry\n`).settings.map(({ value }) => value.length)).toEqual([300_002]);
});
