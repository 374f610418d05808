import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { CallResult, Progress } from '@synapse/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import type { CallOptions } from '../call/call.ts';
import type { ToolData } from '../runtime/typed-call.ts';
import { callUntyped } from '../testing/call-untyped.ts';
import { runScript } from '../testing/run-script.ts';

type Data = ToolData<'run_command'>;

let base: string;
let workspace: string;
let stateFolder: string;
let hands: Hands;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'synapse-run-'));
  workspace = join(base, 'workspace');
  stateFolder = join(base, 'state');
  await mkdir(join(workspace, 'folder'), { recursive: true });
  await writeFile(join(workspace, 'folder', 'file.txt'), 'content');
  await symlink('/etc', join(workspace, 'outside'));
  hands = await createHands({ workspace, stateFolder, sandbox: 'none', allow: ['exec'], environment: { GIVEN: 'by the owner' } });
});
afterAll(async () => {
  await hands[Symbol.asyncDispose]();
});

const run = (command: string, input: object = {}, options: CallOptions = {}): Promise<CallResult<Data>> =>
  hands.call('run_command', { command, ...input }, options);

async function succeed(command: string, input: object = {}, options: CallOptions = {}): Promise<CallResult<Data> & { ok: true }> {
  const result = await run(command, input, options);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result;
}

/** A length of sleep that no other process has, to find it by. */
const oddSleep = (): string => `9${randomBytes(4).readUInt32BE()}`;

function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/u.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

describe('what it answers', () => {
  it('gives both streams, apart and together, and how it ended', async () => {
    const result = await succeed('echo out; /bin/echo err >&2; exit 3');
    expect(result.data).toMatchObject({ exit_code: 3, signal: null, timed_out: false, stdout: 'out\n', stderr: 'err\n', left_running: 0 });
    expect(result.data.output).toHaveLength('out\nerr\n'.length);
    expect(result.output).toMatch(/^\[exit code 3\. It was not sandboxed, because [^.]+\.\]\n/u);
    expect(result.meta).toMatchObject({ completion: 'failed', sandbox: 'none' });
    expect(result.meta.summary).toMatch(/^run_command\(echo out; .*\) → exit code 3, \d/u);
  });

  it('keeps the order of what did not come at the same moment', async () => {
    // Each step waits for the file which the watcher of the one before writes.
    const wait = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;
    const steps = ['one', 'two', 'three'];
    let seen = '';
    const onProgress = ({ output = '' }: Progress): void => {
      seen += output;
      for (const step of steps) if (seen.includes(step)) void writeFile(join(workspace, `saw-${step}`), '');
    };
    const { data } = await succeed(`echo one; ${wait('saw-one')}; echo two >&2; ${wait('saw-two')}; echo three`, {}, { onProgress });
    expect(data).toMatchObject({ output: 'one\ntwo\nthree\n', stdout: 'one\nthree\n', stderr: 'two\n' });
  });

  it('says that a command failed without output, and of one that went well only its exit code', async () => {
    expect((await succeed('exit 3')).output).toMatch(/^\[exit code 3 · no output\. It/u);
    const { output, meta } = await succeed('true');
    expect(output).toMatch(/^\[exit code 0\. It was not sandboxed, because [^.]+\.\]$/u);
    expect(meta.completion).toBe('ok');
  });

  it('says when an output had nothing to show', async () => {
    expect((await succeed('head -c 5000 /dev/zero')).output).toMatch(/^\[exit code 0 · nothing to show in 5\.0KB of output/u);
  });

  it('tells the signal that ended it', async () => {
    const { data, output } = await succeed('kill -SEGV $$');
    expect(data).toMatchObject({ exit_code: null, signal: 'SIGSEGV' });
    expect(output).toContain('ended by SIGSEGV');
  });

  it('takes escape sequences out', async () => {
    const { data, output } = await succeed(String.raw`printf '\033]52;c;ZXZpbA==\007\033[31mred\033[0m\n10%%\r100%%\n'`);
    expect(data.output).toBe('red\n100%\n');
    expect(output).not.toContain('\u001B');
  });

  it('shows the ends of a long output, and stores the whole', async () => {
    const { data, meta, output } = await succeed('seq 1 100000');
    expect(data.output.startsWith('1\n2\n')).toBe(true);
    expect(data.output.endsWith('99999\n100000\n')).toBe(true);
    expect(Buffer.byteLength(data.output)).toBeLessThanOrEqual(10_000);
    expect(output).toContain(meta.truncation?.spill ?? 'no spill');
    expect(output).toMatch(/^\[exit code 0\. 100,000 lines in all\. The whole output can be read/u);
    const [folder = ''] = await readdir(join(stateFolder, 'spills'));
    const file = join(stateFolder, 'spills', folder, meta.truncation?.spill?.slice('spill:'.length) ?? '');
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(100_001);
  });

  it('keeps its own limits for each call', async () => {
    const { data } = await succeed('seq 1 1000', {}, { limits: { outputLines: 50 } });
    expect(data.output.split('\n').length).toBeLessThanOrEqual(51);
    expect(data.stdout.split('\n').length).toBeLessThanOrEqual(51);
  });
});

describe('where and with what it runs', () => {
  it('runs in the workspace or a folder of it', async () => {
    expect((await succeed('pwd')).data.stdout).toBe(`${workspace}\n`);
    expect((await succeed('cat file.txt', { cwd: 'folder' })).data.stdout).toBe('content');
  });

  it.each([
    ['..', 'outside_workspace'],
    ['/', 'outside_workspace'],
    ['outside', 'outside_workspace'],
    ['missing', 'not_found'],
    ['folder/file.txt', 'wrong_type'],
    ['folder/file.txt/deeper', 'not_found'],
  ])('refuses to run in %s', async (cwd, code) => {
    expect(await run('touch ran', { cwd })).toMatchObject({ ok: false, error: { code } });
    expect(await readdir(workspace)).not.toContain('ran');
  });

  it('has the variables that the owner gave', async () => {
    expect((await succeed('echo "$GIVEN"')).data.stdout).toBe('by the owner\n');
  });

  it.each([
    [{ command: '' }, 'command'],
    [{ command: ' \n' }, 'command'],
    [{ command: 'x'.repeat(128 * 1024) }, 'command'],
    [{ command: 'ü'.repeat(70_000) }, 'command'],
    [{}, 'command'],
    [{ command: 'true', timeout_ms: 0 }, 'timeout_ms'],
    [{ command: 'true', timeout_ms: 1e12 }, 'timeout_ms'],
    [{ command: 'true', timeout_ms: '5 s' }, 'timeout_ms'],
    [{ command: 'true', stdin: 'x' }, 'stdin'],
  ])('refuses bad input %#', async (input, field) => {
    const result = await callUntyped(hands, 'run_command', input);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(!result.ok && result.error.message).toContain(field);
  });

  it('takes the longest command that it says it takes', async () => {
    const { data } = await succeed(`true ${'x'.repeat(128 * 1024 - 1 - 5)}`);
    expect(data.exit_code).toBe(0);
  });

  it('needs the permission to change something, or to work on the workspace itself', async () => {
    await using reader = await createHands({ workspace, stateFolder });
    expect(await reader.call('run_command', { command: 'touch ran' })).toMatchObject({ ok: true, meta: { pending: expect.any(String) as string } });
    expect(await reader.call('run_command', { command: 'touch ran', live: true })).toMatchObject({
      ok: false,
      error: { code: 'approval_required', hint: expect.stringContaining('--allow exec') as string },
    });
    expect(await readdir(workspace)).not.toContain('ran');
  });
});

/** Milliseconds after which a command has begun, also on a busy machine. */
const BEGUN_MS = 2_000;

describe('its end', () => {
  it('gives what there was when the time is over', async () => {
    const seconds = oddSleep();
    const { data, meta, output } = await succeed(`echo before; setsid sleep ${seconds} & sleep ${seconds}`, { timeout_ms: BEGUN_MS });
    expect(data).toMatchObject({ timed_out: true, exit_code: null, output: 'before\n' });
    expect(meta.completion).toBe('timeout');
    expect(output).toMatch(/^\[timed out · \d\.\d s\. It was not sandboxed, because [^.]+\.\]\n/u);
    expect(running(seconds)).toEqual([]);
  });

  it('says that a command may have waited for input', async () => {
    const [asking, working] = await Promise.all(
      ["printf 'Continue? [y/N] '; exec sleep 987", 'echo working; exec sleep 987'].map((command) => succeed(command, { timeout_ms: BEGUN_MS })),
    );
    expect(asking?.output).toContain('waited for input');
    expect(working?.output).toContain('working');
    expect(working?.output).not.toContain('waited for input');
  });

  // At the same time as the next: each waits for ten seconds.
  it.skipIf(!existsSync('/proc/self/wchan'))(
    'ends one early that waits for a pipe that nothing else opens, and says so',
    { concurrent: true, timeout: 120_000 },
    async () => {
      const { data, output, meta } = await succeed('mkfifo pipe; cat pipe', { timeout_ms: 600_000, yield_ms: 0 });
      expect(output).toMatch(/^\[ended early · \d+(?:\.\d)? s · no output · it waits to open a named pipe, pipe, whose other end nothing opens/u);
      expect(data.timed_out).toBe(true);
      expect(meta.completion).toBe('timeout');
    },
  );

  it.skipIf(spawnSync('python3', ['-c', 'import pty']).status !== 0 || !existsSync('/proc/self/syscall'))(
    'ends one early that waits for keys at a terminal of its own, and says so',
    { concurrent: true, timeout: 120_000 },
    async () => {
      const command = `python3 -c 'import pty; pty.spawn(["sh", "-c", "read x < /dev/tty"])'`;
      const { output, meta } = await succeed(command, { timeout_ms: 600_000, yield_ms: 0 });
      expect(output).toMatch(/^\[ended early · .* · it waits for keys at a terminal · commands get no input/u);
      expect(meta.completion).toBe('timeout');
    },
  );

  it.each([
    ["printf 'package name: (demo) '; exit 1", true],
    ["echo 'EOFError: EOF when reading a line'; exit 1", true],
    ['read -r x < /dev/tty', true],
    ["printf 'package name: (demo) '", false],
    ['echo "error: x"; exit 1', false],
  ])('%s: says that there is no input: %s', async (command, says) => {
    const { output } = await succeed(command);
    expect(output.includes('commands get no input')).toBe(says);
  });

  it('refuses what waits for a terminal, which a job can have', async () => {
    const message = expect.stringMatching(/vim.*edit_file.*background and pty/u) as string;
    expect(await run('vim a.txt')).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message } });
    expect(await run('vim a.txt', { background: true })).toMatchObject({ ok: false, error: { message } });
  });

  it('ends with the command, and reports what was left in the background', async () => {
    const seconds = oddSleep();
    const { data, output } = await succeed(`sleep ${seconds} & echo done`);
    expect(data).toMatchObject({ exit_code: 0, left_running: 1, output: 'done\n' });
    expect(output).toContain('1 process left in the background ended with it');
    expect(running(seconds)).toEqual([]);
  });

  it('ends everything when it is cancelled', async () => {
    const seconds = oddSleep();
    const controller = new AbortController();
    const result = await run(
      `setsid sleep ${seconds} & echo started; sleep ${seconds}`,
      {},
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(running(seconds)).toEqual([]);
  });

  it('ends everything when Synapse itself is killed', async () => {
    const seconds = oddSleep();
    const script = `
      import { createHands } from ${JSON.stringify(new URL('../runtime/create-hands.ts', import.meta.url).href)};
      const hands = await createHands(${JSON.stringify({ workspace, stateFolder, allow: ['exec'] })});
      await hands.call('run_command', { command: ${JSON.stringify(
        `env -i /usr/bin/setsid /bin/sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds} & mkfifo alive-${seconds}; exec 3>alive-${seconds}; echo up >&3; wait`,
      )}, live: true });`;
    const { process: synapse } = runScript(script);
    // The pipe ends when the last process that holds it does.
    const alive = spawn('/bin/sh', ['-c', `until [ -p alive-${seconds} ]; do sleep 0.02; done; exec cat alive-${seconds}`], {
      cwd: workspace,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void alive.kill('SIGKILL'));
    await once(alive.stdout, 'data');
    expect(running(seconds).length).toBeGreaterThan(2);
    synapse.kill('SIGKILL');
    await once(alive, 'exit');
    await expect.poll(() => running(seconds)).toEqual([]);
  });
});

describe('a flood', () => {
  it('keeps memory small, and ends in time', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const { data, meta } = await succeed('yes', { timeout_ms: 3_000 }, { onProgress: () => (most = Math.max(most, process.memoryUsage().rss)) });
    expect(most - before).toBeLessThan(100 * 1024 * 1024);
    expect(data.timed_out).toBe(true);
    expect(data.duration_ms).toBeLessThan(30_000);
    expect(meta.truncation?.total.bytes).toBeGreaterThan(1024 * 1024);
  });

  it('lets other calls have their turn', async () => {
    const controller = new AbortController();
    let isOver = false;
    const flood = run('cat /dev/zero', {}, { signal: controller.signal }).finally(() => (isOver = true));
    for (let count = 0; count < 10; count += 1) await succeed('true');
    expect(isOver).toBe(false);
    controller.abort();
    expect(await flood).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});
