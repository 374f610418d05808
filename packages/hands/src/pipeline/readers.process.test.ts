import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'A\n', '.env': 'TOKEN=secret\n', 'private/b.txt': 'B\n' };
const unasked = { allow: [] };

it.each(['ls', 'cat a.txt | wc -l', 'cd private && cat b.txt', 'node --version', 'git log --oneline', 'git -C . status'])(
  'runs what only reads without a question: %s',
  async (command) => {
    await using at = await temporaryHands(FILES, unasked);
    execFileSync('git', ['init', '-q'], { cwd: at.folder });
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x', '--allow-empty'], { cwd: at.folder });
    expect(await at.hands.call('run_command', { command })).toMatchObject({
      ok: true,
      data: { exit_code: 0 },
      meta: { ran: 'read-only', sandbox: 'bubblewrap' },
    });
  },
);

it('reads nothing that it may not', async () => {
  await using at = await temporaryHands(FILES, unasked);
  // By its name it is asked about; in the walk of a folder it is not there.
  expect(await at.hands.call('run_command', { command: 'cat .env' })).toMatchObject({ error: { code: 'approval_required' } });
  expect(await at.hands.call('run_command', { command: 'grep -rh . . | sort' })).toMatchObject({ data: { stdout: 'A\nB\n' } });
});

it('runs in a mode that refuses commands, and writes nothing there', async () => {
  await using at = await temporaryHands(FILES, { allow: [], policy: { mode: 'read-only' } });
  expect(await at.hands.call('run_command', { command: 'cat a.txt' })).toMatchObject({ ok: true, data: { stdout: 'A\n' } });
  // The control: this one would write.
  expect(await at.hands.call('run_command', { command: 'touch b.txt' })).toMatchObject({ error: { code: 'denied' } });
});

it('is asked about where a dialect promises that', async () => {
  await using at = await temporaryHands(FILES, unasked);
  expect(await at.hands.dialect('synapsis').call('bash', { command: 'ls' })).toMatchObject({
    isError: true,
    output: expect.stringContaining('needs approval') as string,
  });
  expect(await at.hands.dialect('synapse').call('run_command', { command: 'cat a.txt' })).toMatchObject({ isError: false, output: 'A\n' });
});
