import { expect, it } from 'vitest';
import type { TreeView } from '../danger/tree-view.ts';
import type { MadeCommit } from './commit-order.ts';
import { describeRepositories } from './describe-repositories.ts';

/** Stands for a text that is too long. */
const LARGE = 'large';

type Files = Readonly<Record<string, string>>;

const view = (files: Files): TreeView => ({
  type: (path) => (files[path] === undefined ? undefined : 'file'),
  readText: (path) => (files[path] === LARGE ? undefined : files[path]),
  readBytes: () => undefined,
  linkText: () => undefined,
  names: () => undefined,
});

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const COMMITS: Readonly<Record<string, MadeCommit>> = {
  [B]: { parents: [A], subject: 'second' },
  [C]: { parents: [B], subject: 'third' },
};

function describe(before: Files, after: Files): readonly string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  return describeRepositories(paths, { before: view(before), after: view(after), madeCommit: (_, hash) => COMMITS[hash], oldCommit: () => undefined })
    .lines;
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
    ['git: HEAD of worktree w moves from branch a to branch b'],
  ],
  [
    'a repository below',
    { 'sub/.git/refs/heads/main': A },
    { 'sub/.git/refs/heads/main': B },
    ['git in sub: branch main moves from aaaaaaa to bbbbbbb', '  bbbbbbb second'],
  ],
  ['other files', { 'a.txt': 'x', '.git/index': 'x' }, { 'a.txt': 'y', '.git/index': 'y' }, []],
  [
    'the value that git takes from a file',
    { '.git/refs/heads/main': A, '.git/refs/heads/x': A },
    { '.git/refs/heads/main': `${B}\n\nis fine`, '.git/refs/heads/x': ` ${B.toUpperCase()}`.trim() },
    ['git: branch main moves from aaaaaaa to bbbbbbb', '  bbbbbbb second', 'git: branch x moves from aaaaaaa to bbbbbbb'],
  ],
  [
    'names that read like other lines',
    {},
    { '.git/refs/  1234567 fix a typo': A, '.git/refs/heads/main moves from 1234567 to 89abcde': A, '.git/refs/heads/x\ngit: y': 'a text, is new' },
    [
      'git: "  1234567 fix a typo" is new, at aaaaaaa',
      'git: branch "main moves from 1234567 to 89abcde" is new, at aaaaaaa',
      'git: branch "x\\ngit: y" is new, at "a text, is new"',
    ],
  ],
  [
    'packed references that are too large to read',
    { '.git/refs/heads/main': A, '.git/packed-refs': 'x' },
    { '.git/packed-refs': LARGE, '.git/refs/heads/new': A },
    [
      'git: packed-refs changes and is too large to show. Branches and tags may be new, moved or deleted',
      'git: branch main changes; it was at aaaaaaa',
      'git: branch new is new, at aaaaaaa',
    ],
  ],
  [
    'a file that is too large to read',
    { '.git/refs/heads/main': A },
    { '.git/refs/heads/main': LARGE },
    ['git: branch main changes; it was at aaaaaaa'],
  ],
  ['a packed name that is no ASCII', {}, { '.git/packed-refs': `${A} refs/heads/ü\n` }, ['git: branch ü is new, at aaaaaaa']],
  ['a name that is no ASCII', {}, { '.git/refs/heads/Ã¼': A }, ['git: branch ü is new, at aaaaaaa']],
])('describes %s', (_, before, after, lines) => {
  expect(describe(before, after)).toEqual(lines);
});

it('reads no file for packed references that stay', () => {
  const line = (hash: string, index: number): string => `${hash} refs/heads/b${index}\n`;
  const before = { '.git/packed-refs': Array.from({ length: 1_000 }, (_, index) => line(A, index)).join('') };
  const after = { '.git/packed-refs': before['.git/packed-refs'].replace(line(A, 7), line(B, 7)) };
  const read: string[] = [];
  const counted = (files: Files): TreeView => ({
    ...view(files),
    type: (path) => (read.push(path), view(files).type(path)),
    readText: (path) => (read.push(path), files[path]),
  });
  const sources = { before: counted(before), after: counted(after), madeCommit: () => undefined, oldCommit: () => undefined };
  expect(describeRepositories(['.git/packed-refs'], sources).lines).toEqual(['git: branch b7 moves from aaaaaaa to bbbbbbb']);
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
  expect(describeRepositories(['.git/refs/heads/x'], { before, after, madeCommit, oldCommit: () => undefined }).lines).toEqual([
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

it('names what there was before what is new', () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`.git/refs/a/${index}`, A]));
  const lines = describe({ '.git/refs/heads/main': A }, { '.git/refs/heads/main': B, ...many });
  expect(lines.slice(0, 2)).toEqual(['git: branch main moves from aaaaaaa to bbbbbbb', '  bbbbbbb second']);
});

it('takes nothing but a hash for a commit: it becomes part of a path', () => {
  const asked: string[] = [];
  const after = view({ '.git/refs/heads/x': 'ab/../../../../private/object', '.git/refs/heads/y': B });
  const madeCommit = (_: string, hash: string): undefined => void asked.push(hash);
  describeRepositories(['.git/refs/heads/x', '.git/refs/heads/y'], { before: view({}), after, madeCommit, oldCommit: () => undefined });
  expect(asked).toEqual([B]);
});
