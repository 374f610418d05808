import { expect, it } from 'vitest';
import type { TreeView } from '../danger/tree-view.ts';
import { describeRepositories, type MadeCommit } from './describe-repositories.ts';

type Files = Readonly<Record<string, string>>;

const view = (files: Files): TreeView => ({
  type: (path) => (files[path] === undefined ? undefined : 'file'),
  readText: (path) => files[path],
  linkText: () => undefined,
  names: () => undefined,
});

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const COMMITS: Readonly<Record<string, MadeCommit>> = {
  [B]: { parents: [A], subject: 'second' },
  [C]: { parents: [B], subject: 'third' },
};

function describe(before: Files, after: Files): string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  return describeRepositories(paths, { before: view(before), after: view(after), madeCommit: (_, hash) => COMMITS[hash] });
}

it.each<[string, Files, Files, string[]]>([
  [
    'a commit',
    { '.git/refs/heads/main': `${A}\n` },
    { '.git/refs/heads/main': `${B}\n` },
    ['git: branch main moves from aaaaaaa to bbbbbbb', '  bbbbbbb second'],
  ],
  [
    'two commits on a new branch',
    { '.git/HEAD': 'ref: refs/heads/main\n' },
    { '.git/HEAD': 'ref: refs/heads/topic/x\n', '.git/refs/heads/topic/x': `${C}\n` },
    ['git: HEAD moves from branch main to branch topic/x', 'git: branch topic/x is new, at ccccccc', '  ccccccc third', '  bbbbbbb second'],
  ],
  ['a commit that was there', { '.git/refs/heads/main': B }, { '.git/refs/heads/main': A }, ['git: branch main moves from bbbbbbb to aaaaaaa']],
  ['a deleted branch', { '.git/refs/heads/x': A }, {}, ['git: branch x is deleted; it was at aaaaaaa']],
  [
    'a tag, with each commit once',
    {},
    { '.git/refs/tags/v1': B, '.git/refs/heads/x': B },
    ['git: branch x is new, at bbbbbbb', '  bbbbbbb second', 'git: tag v1 is new, at bbbbbbb'],
  ],
  ['a stash', {}, { '.git/refs/stash': A }, ['git: stash is new, at aaaaaaa']],
  [
    'packed references',
    { '.git/refs/heads/main': A, '.git/refs/tags/v1': A },
    { '.git/packed-refs': `# pack-refs\n${A} refs/heads/main\n${A} refs/tags/v1\n` },
    [],
  ],
  [
    'a deleted packed branch',
    { '.git/packed-refs': `${A} refs/heads/main\n${A} refs/heads/x\n` },
    { '.git/packed-refs': `${A} refs/heads/main\n` },
    ['git: branch x is deleted; it was at aaaaaaa'],
  ],
  [
    'a detached head',
    { '.git/HEAD': 'ref: refs/heads/main' },
    { '.git/HEAD': C },
    ['git: HEAD moves from branch main to ccccccc', '  ccccccc third', '  bbbbbbb second'],
  ],
  [
    'a linked worktree',
    { '.git/worktrees/w/HEAD': 'ref: refs/heads/a' },
    { '.git/worktrees/w/HEAD': 'ref: refs/heads/b' },
    ['git: HEAD moves from branch a to branch b'],
  ],
  [
    'a repository below',
    { 'sub/.git/refs/heads/main': A },
    { 'sub/.git/refs/heads/main': B },
    ['git in sub: branch main moves from aaaaaaa to bbbbbbb', '  bbbbbbb second'],
  ],
  ['other files', { 'a.txt': 'x', '.git/index': 'x' }, { 'a.txt': 'y', '.git/index': 'y' }, []],
  ['a name that is no ASCII', {}, { '.git/refs/heads/Ã¼': A }, ['git: branch ü is new, at aaaaaaa']],
])('describes %s', (_, before, after, lines) => {
  expect(describe(before, after)).toEqual(lines);
});

it('reads no file for packed references that stay', () => {
  const line = (hash: string, index: number): string => `${hash} refs/heads/b${index}\n`;
  const before = { '.git/packed-refs': Array.from({ length: 1_000 }, (_, index) => line(A, index)).join('') };
  const after = { '.git/packed-refs': before['.git/packed-refs'].replace(line(A, 7), line(B, 7)) };
  const read: string[] = [];
  const counted = (files: Files): TreeView => ({ ...view(files), readText: (path) => (read.push(path), files[path]) });
  const sources = { before: counted(before), after: counted(after), madeCommit: () => undefined };
  expect(describeRepositories(['.git/packed-refs'], sources)).toEqual(['git: branch b7 moves from aaaaaaa to bbbbbbb']);
  expect(new Set(read)).toEqual(new Set(['.git/packed-refs', '.git/refs/heads/b7']));
});

it('looks up no more commits than a person could read, however many parents one names', () => {
  const hashOf = (number: number): string => number.toString(16).padStart(40, '0');
  let looked = 0;
  const madeCommit = (_: string, hash: string): MadeCommit | undefined => {
    looked += 1;
    if (hash === B) return { parents: Array.from({ length: 50_000 }, (__, index) => hashOf(index)), subject: 'many' };
    return undefined;
  };
  const [before, after] = [view({}), view({ '.git/refs/heads/x': B })];
  expect(describeRepositories(['.git/refs/heads/x'], { before, after, madeCommit })).toEqual([
    'git: branch x is new, at bbbbbbb',
    '  bbbbbbb many',
    '  and commits that are not listed',
  ]);
  expect(looked).toBe(10_000);
});

it('lists no more than the latest of very many', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`.git/refs/tags/v${index}`, A]));
  const lines = describe({}, many);
  expect([lines.length, lines.at(-1)]).toEqual([201, 'git: and 50 more branches and tags']);
});
