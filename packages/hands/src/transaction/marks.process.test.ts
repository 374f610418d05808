import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'A\n', 'd/b.txt': 'B\n' };
const LIST = `
import os
for folder, folders, names in os.walk("."):
  for name in folders + names:
    path = os.path.join(folder, name)
    marks = os.listxattr(path, follow_symlinks=False)
    if marks: print(path, marks)`;

/** The entries below a folder that have extended attributes, as a user who may read all of them. */
const marksIn = (folder: string): string => {
  spawnSync('chmod', ['-R', 'u+rwx', '.'], { cwd: folder });
  return spawnSync('python3', ['-c', LIST], { cwd: folder, encoding: 'utf8' }).stdout;
};

describe.skipIf((await findBubblewrap()) === undefined || spawnSync('python3', ['-V']).status !== 0)(
  'what a command changed has no marks of the overlay',
  () => {
    it.each([
      ['a folder that was made elsewhere', 'mkdir -p p/q/r && mv p/q s && mv s p/t && mv p/t/r p/u && touch p/u/new p/new'],
      [
        'a folder that was made elsewhere, and is closed',
        'mkdir -p p/q/v && mv p/q r && mv r p/s && mv p/s/v p/w && mv p/w p/s/x && chmod 000 p/s/x p/s',
      ],
      ['another name of a file', 'mkdir -p n/m && ln a.txt n/m/b'],
      ['a file of which another has the name now', 'mkdir n && mv a.txt n/b && cp -p n/b a.txt'],
      ['a file in a folder that was moved', 'mv d n && mkdir d && cp n/b.txt d'],
    ])('%s', async (_, command) => {
      await using at = await temporaryHands(FILES, { sandbox: 'required' });
      expect(await at.hands.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { appliedFrom: 'copy' } });
      expect(marksIn(at.folder)).toBe('');
    });

    it('and a result says which folder no program can rename there', async () => {
      await using at = await temporaryHands(FILES, { sandbox: 'required' });
      const rename = (how: string): Promise<unknown> =>
        at.hands.call('run_command', { command: `python3 -c 'import os; os.rename("d", "e")'${how}` });
      expect(await rename('')).toMatchObject({ ok: true, output: expect.stringContaining('the tool move_path renames it') as string });
      expect(await at.hands.call('run_command', { command: 'mv d e && ls e' })).toMatchObject({ data: { stdout: 'b.txt\n', exit_code: 0 } });
    });

    it('and would be seen with them', async () => {
      await using at = await temporaryHands(FILES);
      spawnSync('python3', ['-c', 'import os; os.setxattr("d/b.txt", "user.overlay.origin", b"y")'], { cwd: at.folder });
      expect(marksIn(at.folder)).toBe("./d/b.txt ['user.overlay.origin']\n");
    });
  },
);
