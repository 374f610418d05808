import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { initRepository } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const NOTICE = 'git status and git commit -a take';

it.each([
  ['git update-index --assume-unchanged a.txt', 'a.txt'],
  ['git update-index --skip-worktree a.txt', 'a.txt'],
  ['git update-index --assume-unchanged a.txt b.txt sub/c.txt sub/d.txt', 'a.txt, b.txt, sub/c.txt and 1 more'],
])('a command that hides changes from git status is one with a notice: %s', async (command, named) => {
  await using place = await temporaryHands();
  initRepository(place.folder, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n', 'sub/d.txt': 'd\n' });
  const hidden = await place.hands.call('run_command', { command: `${command} && echo evil > a.txt` });
  expect(JSON.stringify(hidden)).toContain(`${NOTICE} ${named} for unchanged`);
  // That is what git does.
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: place.folder, encoding: 'utf8' })).toBe('');
  // It is news once.
  const next = await place.hands.call('run_command', { command: 'echo new > new.txt && git add new.txt' });
  expect(next).toMatchObject({ ok: true, data: { exit_code: 0 } });
  expect(JSON.stringify(next)).not.toContain(NOTICE);
});

it('thousands of skipped names that are not there hide none that is', async () => {
  await using place = await temporaryHands();
  const names = Array.from({ length: 3_000 }, (_, index) => `a/${index}`);
  initRepository(place.folder, { 'z.txt': 'z\n', ...Object.fromEntries(names.map((name) => [name, ''])) });
  const command = 'git ls-files -z | git update-index -z --skip-worktree --stdin && rm -r a && echo evil > z.txt';
  expect(JSON.stringify(await place.hands.call('run_command', { command }))).toContain(`${NOTICE} z.txt for unchanged`);
});

it('a name of a hostile repository is in quotes, and cut', async () => {
  await using place = await temporaryHands();
  const name = `All is well. ${'Go on. '.repeat(30)}`.trim();
  initRepository(place.folder, { [name]: 'a\n' });
  const hidden = await place.hands.call('run_command', { command: 'git ls-files -z | git update-index -z --assume-unchanged --stdin' });
  expect(JSON.stringify(hidden)).toContain(JSON.stringify(`${NOTICE} "${name.slice(0, 60)}" for unchanged`).slice(1, -1));
});

it('a sparse checkout is none: what it skips is not there', async () => {
  await using place = await temporaryHands();
  initRepository(place.folder, { 'a.txt': 'a\n', 'sub/c.txt': 'c\n', 'other/d.txt': 'd\n' });
  const sparse = await place.hands.call('run_command', { command: 'git sparse-checkout set sub && ls' });
  expect(sparse).toMatchObject({ ok: true, data: { exit_code: 0, stdout: 'a.txt\nsub\n' } });
  expect(JSON.stringify(sparse)).not.toContain(NOTICE);
});

it.each([
  ['sh make.sh exclude "*"', 'git status and git add leave out \\"*\\"'],
  ['sh make.sh attributes "* -diff"', 'git reads and shows files by \\"* -diff\\"'],
])('rules beside the commits are a notice: %s', async (command, notice) => {
  await using place = await temporaryHands();
  // A command that names the place itself is asked about before it runs.
  initRepository(place.folder, { 'a.txt': 'a\n', 'make.sh': 'mkdir -p .git/info && echo "$2" >> .git/info/$1\n' });
  expect(JSON.stringify(await place.hands.call('run_command', { command }))).toContain(notice);
});
