import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { Git } from './git.ts';

let temporary: TemporaryHands;
beforeEach(async () => {
  temporary = await temporaryHands();
  initRepository(temporary.folder, { a: '1\n', 'sub/b': '1\n', '.gitignore': 'ignored\n' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await temporary[Symbol.asyncDispose]();
});

const WAIT = { timeout: 60_000, interval: 10 };

const ask = async (tool: string, input: object = {}): Promise<unknown> => {
  const result = await temporary.hands.call(tool, input);
  return result.ok ? result.data : result.error.code;
};

/** Asks until the answer comes from memory. */
async function warm(tool: string, input: object = {}): Promise<unknown> {
  await expect
    .poll(async () => {
      const opened = vi.spyOn(Git.prototype, 'open');
      await ask(tool, input);
      const { length } = opened.mock.calls;
      opened.mockRestore();
      return length;
    }, WAIT)
    .toBe(0);
  return await ask(tool, input);
}

it('answers of a repository in which nothing changed come from memory', async () => {
  expect(await warm('git_status')).toMatchObject({ is_clean: true, branch: 'main' });
  expect(await warm('git_log', { limit: 1 })).toMatchObject({ commits: [{}] });
  expect(await warm('git_status', { path: 'sub' })).toMatchObject({ is_clean: true });
});

const at = (path: string): string => join(temporary.folder, path);

it.each<[string, () => unknown, object]>([
  ['an edit in place', () => appendFileSync(at('a'), 'x'), { is_clean: false }],
  ['a new file', () => writeFileSync(at('sub/new'), ''), { untracked: ['sub/new'] }],
  ['a new folder', () => (mkdirSync(at('n/m/o'), { recursive: true }), writeFileSync(at('n/m/o/p'), '')), { untracked: ['n/'] }],
  ['a file that is gone', () => rmSync(at('a')), { unstaged: [{ path: 'a', status: 'deleted' }] }],
  ['a folder that was renamed', () => renameSync(at('sub'), at('bus')), { untracked: ['bus/'] }],
  ['another time, with the same content', () => (writeFileSync(at('a'), '2\n'), utimesSync(at('a'), 0, 0)), { is_clean: false }],
  ['git add', () => (writeFileSync(at('c'), ''), git(temporary.folder, 'add', 'c')), { staged: [{ path: 'c' }] }],
  ['another branch', () => git(temporary.folder, 'checkout', '-q', '-b', 'other'), { branch: 'other' }],
  [
    'a commit',
    () => (writeFileSync(at('a'), '2\n'), commitAll(temporary.folder, 'two')),
    { is_clean: true, head: expect.stringMatching(/^[0-9a-f]{40}$/u) },
  ],
  ['a stash', () => (writeFileSync(at('a'), '2\n'), git(temporary.folder, 'stash')), { stashes: 1 }],
  ['a remote', () => git(temporary.folder, 'remote', 'add', 'origin', 'https://example.com/x'), { has_remote: true }],
  ['an ignore list of the repository', () => (write(temporary.folder, { n: '' }), appendFileSync(at('.git/info/exclude'), 'n\n')), { untracked: [] }],
  ['no repository any more', () => renameSync(at('.git'), at('git')), 'not_a_repository' as unknown as object],
])('is never stale: %s', async (_, change, expected) => {
  await warm('git_status');
  change();
  const found = await ask('git_status');
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});

it('tells the newest commit', async () => {
  await warm('git_log');
  write(temporary.folder, { a: '3\n' });
  const head = commitAll(temporary.folder, 'three');
  expect(await ask('git_log', {})).toMatchObject({ commits: [{ sha: head, message: 'three' }, {}] });
  await warm('git_log');
  git(temporary.folder, 'tag', 'v1');
  expect(await ask('git_log', {})).toMatchObject({ commits: [{ refs: expect.arrayContaining([expect.stringContaining('v1')]) }, {}] });
});
