import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands } from '@synapse/hands';
import { expect, it } from 'vitest';
import { openCallLog } from '../call-log.ts';
import { sinceRelease } from '../synthesis/work-state.ts';
import { textOf } from '../evidence/safe-text.ts';
import { readReferences } from './read-references.ts';

const IDENTITY = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'a@x' };

it.each([
  { from: 'main', elsewhere: false, commits: 0, words: ', at the current commit' },
  { from: 'main~2', elsewhere: false, commits: 2, words: ', 2 commits ago' },
  { from: 'main', elsewhere: true, commits: 0, words: ', ahead of the current commit' },
  { from: 'main~2', elsewhere: true, commits: 2, words: ', on another branch: 2 commits here are not in it' },
])('finds the release of $from, with its own commit: $elsewhere', async ({ from, elsewhere, commits, words }) => {
  const [workspace, stateFolder] = await Promise.all([mkdtemp(join(tmpdir(), 'synapse-')), mkdtemp(join(tmpdir(), 'synapse-state-'))]);
  const environment = { PATH: process.env['PATH'], HOME: workspace, GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY };
  const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: workspace, env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  const commit = (message: string): Buffer => git('commit', '--quiet', '--allow-empty', '--message', message);
  git('init', '--quiet', '--initial-branch', 'main');
  for (const message of ['one', 'two', 'three']) commit(message);
  git('checkout', '--quiet', '--detach', from);
  if (elsewhere) commit('release');
  git('tag', 'v0.3.0');
  git('checkout', '--quiet', 'main');
  await using hands = await createHands({ workspace, stateFolder });
  const { release } = await readReferences(openCallLog(hands, {}).step('x').ask, Promise.resolve('main'));
  if (release === undefined) throw new Error('The release of the test was not seen.');
  expect(release).toMatchObject({ name: 'v0.3.0', since: { commits, more: false }, elsewhere });
  expect(textOf(sinceRelease(release))).toBe(words);
});
