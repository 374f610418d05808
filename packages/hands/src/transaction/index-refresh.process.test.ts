import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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

it.skipIf((await findBubblewrap()) === undefined)(
  'takes a commit back after git status has written the index anew, but not after git add',
  async () => {
    await using place = await temporaryHands(
      { 'a.txt': 'one\n', 'other.txt': 'other\n' },
      { sandbox: 'required', allow: ['write', 'exec', 'protected'] },
    );
    // Fixed, so that the objects of commits have the same names in each run, and none shares a new folder with that of mine.txt.
    const dates = { GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z' };
    const git = (...words: string[]): string =>
      execFileSync('git', words, { cwd: place.folder, encoding: 'utf8', env: { ...process.env, ...dates } });
    const exported = Object.entries(dates).map(([name, value]) => `export ${name}=${value};`);
    const index = join(place.folder, '.git/index');
    git('init', '-q');
    git('config', 'user.name', 'A');
    git('config', 'user.email', 'a@example.com');
    git('add', '-A');
    git('commit', '-qm', 'first');
    const commit = async (text: string): Promise<void> => {
      const result = await place.hands.call('run_command', {
        command: `${exported.join(' ')} echo ${text} > a.txt; git add a.txt; git commit -qm ${text}`,
      });
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { completion: 'ok' } });
    };
    let seconds = 1;
    const look = (): void => {
      const inode = statSync(index).ino;
      // Git knows the file again by its content only.
      utimesSync(join(place.folder, 'other.txt'), seconds, seconds);
      seconds += 1;
      git('status');
      expect(statSync(index).ino).not.toBe(inode);
    };
    await commit('two');
    look();
    await commit('three');
    look();
    expect((await place.hands.planUndo({ last: 2 })).conflicts).toEqual([]);
    const undone = await place.hands.undo({ last: 2 });
    expect(undone).toMatchObject({ ok: true });
    expect([git('log', '--format=%s'), git('status', '--short'), readFileSync(join(place.folder, 'a.txt'), 'utf8')]).toEqual([
      'first\n',
      '',
      'one\n',
    ]);
    look();
    // The undo is taken back.
    expect(await place.hands.undo({ call: undone.meta.callId })).toMatchObject({ ok: true });
    expect([git('log', '--format=%s'), git('status', '--short')]).toEqual(['three\ntwo\nfirst\n', '']);
    await commit('four');
    writeFileSync(join(place.folder, 'mine.txt'), 'mine\n');
    git('add', 'mine.txt');
    expect(await place.hands.undo()).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('.git/index') as string },
    });
    expect(git('status', '--short')).toBe('A  mine.txt\n');
  },
);
