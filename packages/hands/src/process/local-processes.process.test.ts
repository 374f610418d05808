import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { SynapseError } from '@synapse/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { LocalProcesses } from './local-processes.ts';
import type { ProcessOutcome, ProcessRequest } from './processes.ts';

let root: string;
let confinement: HandleConfinement;
const processes = new LocalProcesses({
  parentEnvironment: { ...process.env, OPENAI_API_KEY: 'sk-parent-secret', NODE_OPTIONS: '--no-deprecation' },
});
const never = new AbortController().signal;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'synapse-process-'));
  confinement = new HandleConfinement(root);
});
afterAll(async () => {
  confinement[Symbol.dispose]();
});

interface Ran extends ProcessOutcome {
  readonly stdout: string;
  readonly stderr: string;
}

async function run(request: Partial<ProcessRequest> & Pick<ProcessRequest, 'argv'>): Promise<Ran> {
  const taken = { stdout: '', stderr: '' };
  const outcome = await processes.run({
    cwd: () => confinement.openDirectory([]),
    signal: never,
    onOutput: (stream, chunk) => {
      taken[stream] += chunk.toString();
    },
    ...request,
  });
  return { ...outcome, ...taken };
}

const shell = (command: string, rest: Partial<ProcessRequest> = {}): Promise<Ran> =>
  run({ argv: ['/bin/sh', '-c', command], hardened: true, ...rest });

/** Processes whose command line holds a text, but not this one. */
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

/** A length of sleep that no other process has, to find it by. */
const oddSleep = (): string => `9${randomBytes(4).readUInt32BE()}`;

const daemons: ReadonlyArray<readonly [string, (seconds: string) => string]> = [
  ['a background job', (s) => `sleep ${s} &`],
  ['setsid', (s) => `setsid sleep ${s} &`],
  ['a double fork that ignores signals', (s) => `( ( trap '' TERM HUP INT; while :; do sleep ${s}; done ) & ) &`],
  ['a double fork in a session of its own', (s) => `setsid sh -c '( trap "" TERM HUP; setsid sleep ${s} ) &'`],
  ['nohup', (s) => `nohup sleep ${s} >/dev/null 2>&1 &`],
  ['closed outputs', (s) => `( exec >&- 2>&-; sleep ${s} ) &`],
  ['a held pipe', (s) => `setsid sh -c 'sleep ${s}; echo late' &`],
  ['an emptied environment', (s) => `env -i /usr/bin/setsid /bin/sh -c '(/bin/sleep ${s} >/dev/null 2>&1 &)'`],
  ['a stopped process', (s) => `sh -c 'kill -STOP $$; sleep ${s}' & setsid sleep ${s} & `],
];

describe('output and end', () => {
  it('gives exit code, both streams and no time lost', async () => {
    const result = await shell('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, signal: null, aborted: false, leftRunning: 0, survivors: 0, stdout: 'out\n', stderr: 'err\n' });
  });

  it('tells the signal that ended a process', async () => {
    expect(await shell('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('has neither input nor a terminal', async () => {
    const result = await shell('cat; (: </dev/tty) 2>/dev/null && echo terminal; echo done');
    expect(result.stdout).toBe('done\n');
  });

  it('lets scripts open their outputs by name', async () => {
    const result = await shell('echo a >/dev/stderr; echo b | tee /dev/stderr; echo c >/dev/stdout; echo d >>/proc/self/fd/2');
    expect(result).toMatchObject({ stdout: 'b\nc\n', stderr: 'a\nb\nd\n' });
  });

  it('takes what a command wrote that ended before it was read', async () => {
    const result = await run({ argv: ['/bin/sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x'] });
    expect(result.stdout).toHaveLength(3_000_000);
  });

  it('ends the command when the reader of its output fails', async () => {
    const seconds = oddSleep();
    const failing = shell(`echo x; sleep ${seconds}`, {
      onOutput: () => {
        throw new SynapseError('internal', 'full');
      },
    });
    await expect(failing).rejects.toThrow('full');
    expect(running(seconds)).toEqual([]);
  });
});

describe('what a command leaves running', () => {
  it.each(daemons)('%s ends with the command', async (_, command) => {
    const seconds = oddSleep();
    const result = await shell(`${command(seconds)}\necho done`);
    expect(result).toMatchObject({ exitCode: 0, aborted: false, survivors: 0 });
    expect(result.stdout).toContain('done');
    expect(result.leftRunning).toBeGreaterThan(0);
    expect(running(seconds)).toEqual([]);
  });

  it.each(daemons)('%s ends when the call is cancelled', async (_, command) => {
    const seconds = oddSleep();
    const controller = new AbortController();
    const result = await shell(`${command(seconds)}\nsleep ${seconds} & trap '' TERM; echo started; while :; do sleep ${seconds}; done`, {
      signal: controller.signal,
      onOutput: () => controller.abort(new SynapseError('cancelled', 'x')),
    });
    expect(result).toMatchObject({ aborted: true, survivors: 0, signal: 'SIGKILL' });
    expect(running(seconds)).toEqual([]);
  });
});

it('leaves the code of a command that ended by itself', async () => {
  expect(await shell('exit 143')).toMatchObject({ exitCode: 143, signal: null, aborted: false });
});

describe('the working directory', () => {
  it('is the folder that was pinned, also when a link took its name', async () => {
    await mkdir(join(root, 'inside'));
    await writeFile(join(root, 'inside', 'marker'), 'inside');
    using pinned = confinement.openDirectory(['inside']);
    await rename(join(root, 'inside'), join(root, 'moved'));
    await symlink('/etc', join(root, 'inside'));
    const result = await shell('cat marker; pwd -P', { cwd: pinned });
    expect(result.stdout).toBe(`inside${join(root, 'moved')}\n`);
  });

  it('is refused when it was deleted', async () => {
    await mkdir(join(root, 'deleted'));
    using pinned = confinement.openDirectory(['deleted']);
    await rm(join(root, 'deleted'), { recursive: true });
    await expect(shell('pwd', { cwd: pinned })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('failures to start', () => {
  it.each([
    ['a missing program', ['no-such-program-here'], 'unavailable'],
    ['too long arguments', ['/bin/true', 'x'.repeat(3_000_000)], 'too_large'],
  ] as const)('%s', async (_, argv, code) => {
    const failure = await run({ argv: [...argv] }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SynapseError);
    expect(failure).toMatchObject({ code });
  });

  it('a file that may not be executed', async () => {
    await writeFile(join(root, 'plain'), 'x');
    await chmod(join(root, 'plain'), 0o644);
    await expect(run({ argv: [join(root, 'plain')] })).rejects.toMatchObject({ code: 'denied' });
  });
});

describe('many at once', () => {
  it('runs a bounded number, and all get their turn', async () => {
    let now = 0;
    let most = 0;
    const calls = Array.from({ length: 300 }, () =>
      run({
        argv: ['/bin/true'],
        cwd: () => {
          now += 1;
          most = Math.max(most, now);
          return confinement.openDirectory([]);
        },
      }).then((result) => {
        now -= 1;
        return result.exitCode;
      }),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set([0]));
    expect(most).toBeLessThanOrEqual(32);
  });

  it('one that waits can be cancelled, and starts nothing', async () => {
    const holder = new AbortController();
    const file = join(root, 'started');
    const full = Array.from({ length: 64 }, () => shell('echo x; sleep 987', { signal: holder.signal }));
    const waiting = new AbortController();
    const late = shell(`touch ${file}`, { signal: waiting.signal });
    waiting.abort(new SynapseError('cancelled', 'not any more'));
    await expect(late).rejects.toMatchObject({ code: 'cancelled' });
    holder.abort(new SynapseError('cancelled', 'enough'));
    await Promise.allSettled(full);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the environment', () => {
  it('holds nothing of the parent that is not allowed', async () => {
    const { stdout } = await shell('env; tr "\\0" "\\n" </proc/self/environ');
    expect(stdout).not.toMatch(/sk-parent-secret|NODE_OPTIONS/u);
    expect(stdout).toMatch(/^PATH=\//mu);
    expect(stdout).toMatch(/^AI_AGENT=synapse$/mu);
    expect(stdout).toMatch(/^TERM=dumb$/mu);
    // Tests of colors fail with any of them.
    expect(stdout).not.toMatch(/^(?:NO_COLOR|FORCE_COLOR|CI)=/mu);
  });

  it('forbids core dumps, and lets the command die first when memory runs out', async () => {
    const { stdout } = await shell('ulimit -c; cat /proc/self/oom_score_adj');
    expect(stdout).toBe('0\n500\n');
  });
});
