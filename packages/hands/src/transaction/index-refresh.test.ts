import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it.skipIf((await findBubblewrap()) === undefined)('asks nothing where a command has only looked at a repository', async () => {
  await using place = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required', allow: [] });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first');
  utimesSync(join(place.folder, 'a.txt'), 1, 1);
  const index = join(place.folder, '.git/index');
  const [bytes, { mtimeNs }] = [readFileSync(index), statSync(index, { bigint: true })];
  const looked = await place.hands.call('run_command', { command: 'node -e 1; git diff --stat; git status --short' });
  expect(looked).toMatchObject({ ok: true, meta: { ran: 'copy' } });
  expect(looked.meta.pending).toBeUndefined();
  expect(readFileSync(index).equals(bytes)).toBe(true);
  expect(statSync(index, { bigint: true }).mtimeNs).toBe(mtimeNs);
  const staged = await place.hands.call('run_command', { command: 'node -e 1; echo two > a.txt; git add a.txt' });
  expect(staged.meta.pending).toMatch(/^c-/u);
});
