import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listProcesses, type ProcessEntry } from '../process/process-table.ts';
import { blockedOn, waitsForKeys, waitsForPipe } from './waits-for-input.ts';

it.each([
  ['0 0x3 0x7ffc 0x1000 0x0 0x0 0x0 0x7ffc 0x7f', 'x64', 3],
  ['63 0x0 0x7ffc 0x1000 0x0 0x0 0x0 0x7ffc 0x7f', 'arm64', 0],
  ['257 0xffffff9c 0x7ffd 0x0 0x0 0x0 0x0 0x7ffd 0x7f', 'x64', undefined],
  ['running', 'x64', undefined],
] as const)('%s on %s reads %s', (line, architecture, descriptor) => {
  expect(blockedOn(line, architecture)).toBe(descriptor);
});

/** The shell of a script, with all that it started. */
async function runningScript(script: string): Promise<{ folder: string; list: () => ProcessEntry[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-pipe-'));
  const shell = spawn('/bin/sh', ['-c', `mkfifo pipe; ${script}`], { cwd: folder, stdio: 'ignore', detached: true });
  onTestFinished(async () => {
    const ended = once(shell, 'exit');
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
    await ended;
  });
  await once(shell, 'spawn');
  const list = (): ProcessEntry[] => {
    const all = listProcesses();
    const found = all.filter(({ pid }) => pid === shell.pid);
    // Parents come before their children here.
    for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
    return found;
  };
  return { folder, list };
}

const hasWaits = existsSync('/proc/self/wchan');

it.skipIf(!hasWaits)('a pipe that nothing else opens is waited for, until something does', async () => {
  const { folder, list } = await runningScript('cat pipe; sleep 987');
  await expect.poll(() => waitsForPipe(list())).toBe(true);
  await writeFile(join(folder, 'pipe'), '');
  await expect.poll(() => waitsForPipe(list())).toBe(false);
});

it.skipIf(!hasWaits)('what works beside it may still open the pipe', async () => {
  const { list } = await runningScript('cat pipe & sleep 987');
  await expect.poll(() => list().length).toBe(3);
  expect(waitsForPipe(list())).toBe(false);
});

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0 && existsSync('/proc/self/syscall');

it.skipIf(!hasPython)('keys of a terminal that a program made are waited for, until something else happens', async () => {
  const script = `python3 -c 'import pty; pty.spawn(["sh", "-c", "read x < /dev/tty"])'`;
  const { list } = await runningScript(`${script} & cat pipe; wait`);
  // The other one waits for its pipe, which is no terminal.
  await expect.poll(() => list().length).toBe(4);
  expect(waitsForKeys(list())).toBe(false);
  const alone = await runningScript(script);
  await expect.poll(() => waitsForKeys(alone.list())).toBe(true);
});

it('without processes nothing waits', () => {
  expect([waitsForPipe([]), waitsForKeys([])]).toEqual([false, false]);
});
