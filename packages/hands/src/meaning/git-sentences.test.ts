import { expect, it } from 'vitest';
import { gitSentences } from './git-sentences.ts';
import type { ReferenceChange } from './repository-change.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];

const change = (name: string, before: string | undefined, after: string | undefined, more: Partial<ReferenceChange> = {}): ReferenceChange => ({
  folder: '',
  name,
  before,
  after,
  commits: [],
  hasMore: false,
  ...more,
});
const commit = (hash: string, parents: readonly string[], subject: string): ReferenceChange['commits'][number] => ({ hash, parents, subject });

it.each<[string, ReferenceChange[], string[]]>([
  ['a new branch', [change('refs/heads/x', undefined, A)], ['creates branch x']],
  [
    'a new branch that HEAD goes to',
    [change('HEAD', 'ref: refs/heads/main', 'ref: refs/heads/feature/x'), change('refs/heads/feature/x', undefined, A)],
    ['creates branch feature/x and switches to it'],
  ],
  ['another branch', [change('HEAD', 'ref: refs/heads/main', 'ref: refs/heads/x')], ['switches to branch x from branch main']],
  ['no branch', [change('HEAD', 'ref: refs/heads/main', A)], ['checks out aaaaaaa, on no branch']],
  ['a commit on no branch', [change('HEAD', A, B, { commits: [commit(B, [A], 'two')] })], ['commits on no branch, from aaaaaaa: "two"']],
  [
    'a commit',
    [change('refs/heads/main', A, B, { commits: [commit(B, [A], 'Add a thing')], files: 3, follows: true })],
    ['commits 3 files to branch main: "Add a thing"'],
  ],
  [
    'a commit of unknown size',
    [change('refs/heads/main', A, B, { commits: [commit(B, [A], 'two')], follows: true })],
    ['commits to branch main: "two"'],
  ],
  [
    'two commits',
    [change('refs/heads/main', A, C, { commits: [commit(C, [B], 'three'), commit(B, [A], 'two')], files: 1, follows: true })],
    ['commits 1 file to branch main in 2 new commits, the newest: "three"'],
  ],
  ['a merge', [change('refs/heads/main', A, C, { commits: [commit(C, [A, B], 'Merge x')] })], ['merges into branch main: "Merge x"']],
  [
    'an amended commit',
    [change('refs/heads/main', A, B, { commits: [commit(B, [C], 'better')], follows: false })],
    ['rewrites branch main, which was at aaaaaaa: "better"'],
  ],
  [
    'a commit on others that cannot be read',
    [change('refs/heads/main', A, B, { commits: [commit(B, [C], 'better')] })],
    ['moves branch main from aaaaaaa to bbbbbbb: "better"'],
  ],
  [
    'a new worktree on a new branch',
    [change('refs/heads/x', undefined, A), change('worktrees/w/HEAD', undefined, 'ref: refs/heads/x')],
    ['creates branch x', 'adds worktree w at branch x'],
  ],
  ['another worktree', [change('worktrees/w/HEAD', 'ref: refs/heads/x', A)], ['in worktree w: checks out aaaaaaa, on no branch']],
  ['a worktree that is gone', [change('worktrees/w/HEAD', A, undefined)], ['removes worktree w, which was at aaaaaaa']],
  ['a reset', [change('refs/heads/main', B, A)], ['moves branch main from bbbbbbb to aaaaaaa']],
  ['a deleted branch', [change('refs/heads/x', A, undefined)], ['deletes branch x, which was at aaaaaaa']],
  ['a new tag', [change('refs/tags/v1', undefined, A)], ['creates tag v1 at aaaaaaa']],
  ['a deleted tag', [change('refs/tags/v1', A, undefined)], ['deletes tag v1, which was at aaaaaaa']],
  ['a moved tag', [change('refs/tags/v1', A, B)], ['moves tag v1 from aaaaaaa to bbbbbbb']],
  ['a fetched branch', [change('refs/remotes/origin/main', A, B)], ['moves remote branch origin/main from aaaaaaa to bbbbbbb']],
  ['a stash', [change('refs/stash', undefined, A, { commits: [commit(A, [B], 'WIP on main')] })], ['stashes changes: "WIP on main"']],
  ['a stash that is dropped', [change('refs/stash', A, undefined)], ['drops the last stashed changes']],
  ['a note', [change('refs/notes/commits', undefined, A)], ['creates reference notes/commits at aaaaaaa']],
  ['another repository', [change('refs/heads/x', undefined, A, { folder: 'lib/y' })], ['in lib/y: creates branch x']],
  ['a reference that is none', [change('refs/heads/x', 'unknown', A)], ['moves branch x from an unknown commit to aaaaaaa']],
])('says of %s', (_, changes, sentences) => {
  expect(gitSentences(changes)).toEqual(sentences);
});

it.each([
  ['x; deletes nothing', 'creates branch "x; deletes nothing"'],
  ['x" and', 'creates branch "x\\" and"'],
  ['x\ncreates y', 'creates branch "x\\ncreates y"'],
  ['y'.repeat(500), `creates branch ${'y'.repeat(80)}…`],
])('quotes a hostile branch: %j', (name, sentence) => {
  expect(gitSentences([change(`refs/heads/${name}`, undefined, A)])).toEqual([sentence]);
});

it('quotes a message that reads like a sentence', () => {
  const commits = [commit(B, [A], '"; deletes branch main "')];
  expect(gitSentences([change('refs/heads/main', A, B, { commits, follows: true })])).toEqual([
    'commits to branch main: "\\"; deletes branch main \\""',
  ]);
});

it('counts many references', () => {
  const changes = Array.from({ length: 200 }, (_, index) => change(`refs/tags/v${index}`, undefined, A));
  expect(gitSentences(changes)).toHaveLength(9);
  expect(gitSentences(changes).at(-1)).toBe('and 192 more changes of branches and tags');
});
