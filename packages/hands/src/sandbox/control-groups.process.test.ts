import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { findControlGroups, groupPath } from './control-groups.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const MIB = 2 ** 20;
const LIMITS = { memoryBytes: 64 * MIB, processes: 20 };

it.each([
  ['version 2 alone', '0::/user.slice/app.slice/x.scope\n', '/user.slice/app.slice/x.scope'],
  ['beside version 1', '4:memory:/a\n1:name=systemd:/b\n0::/c\n', '/c'],
  ['the root', '0::/\n', '/'],
  ['version 1 alone', '4:memory:/a\n', undefined],
  ['above what this namespace sees', '0::/../other.scope\n', undefined],
])('finds the group of a process: %s', (_, text, path) => {
  expect(groupPath(text)).toBe(path);
});

/** A tree of plain files as the kernel shows one, with this process in `/slice/own.scope`. */
async function makeTree(files: Record<string, string> = {}): Promise<{ mount: string; self: string }> {
  const mount = await mkdtemp(join(tmpdir(), 'synapse-cgroup-'));
  await mkdir(join(mount, 'slice', 'own.scope'), { recursive: true });
  const all = { self: '0::/slice/own.scope\n', 'slice/cgroup.subtree_control': 'cpu memory pids\n', 'slice/own.scope/memory.max': 'max\n', ...files };
  for (const [path, content] of Object.entries(all)) await writeFile(join(mount, path), content);
  return { mount, self: join(mount, 'self') };
}

const find = async (files?: Record<string, string>) => {
  const { mount, self } = await makeTree(files);
  return { slice: join(mount, 'slice'), groups: await findControlGroups(mount, self) };
};

describe('where it may make groups', () => {
  it.each([
    ['memory.max', '1073741824\n'],
    ['memory.high', '1073741824\n'],
    ['cpu.max', '50000 100000\n'],
    ['io.max', '8:0 rbps=1048576\n'],
  ])('makes none beside a group that is bounded by its %s', async (file, content) => {
    expect((await find({ [`slice/own.scope/${file}`]: content })).groups).toBeUndefined();
  });

  it('makes one with limits, never above those that it leaves, and removes what a killed one left', async () => {
    const dead = spawnSync('true').pid;
    const { mount, self } = await makeTree({ 'slice/own.scope/pids.max': '7\n', 'slice/own.scope/cpu.max': 'max 100000\n' });
    const slice = join(mount, 'slice');
    for (const name of [`synapse-${dead}-0a`, `synapse-${process.pid}-0b`, `other-${dead}-0c`]) await mkdir(join(slice, name));
    const groups = await findControlGroups(mount, self);
    expect(await readdir(slice)).toEqual(['cgroup.subtree_control', `other-${dead}-0c`, 'own.scope', `synapse-${process.pid}-0b`]);
    const group = await groups?.open(LIMITS);
    const folder = join(group?.door ?? '', '..');
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    expect([await read('memory.max'), await read('memory.oom.group'), await read('pids.max')]).toEqual([String(64 * MIB), '1', '7']);
    await rm(folder, { recursive: true });
  });

  it('turns the limits on where they are off, and makes do without where it may not', async () => {
    const off = await find({ 'slice/cgroup.subtree_control': 'cpu\n' });
    expect(await readFile(join(off.slice, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    const gone = await find();
    await rm(gone.slice, { recursive: true });
    expect(await gone.groups?.open(LIMITS)).toBeUndefined();
  });
});

const real = await findControlGroups();
if (real === undefined) process.stderr.write('TESTS OF REAL CONTROL GROUPS LEFT OUT: no cgroup v2 is delegated to this process.\n');

describe.skipIf(real === undefined)('a real group', () => {
  /** Runs a shell script as a member of a group. */
  async function joined(script: string): Promise<{ said: string; outOfMemory: boolean }> {
    await using group = await real?.open(LIMITS);
    const child = spawn('/bin/sh', ['-c', `echo 0 > "$1"; ${script}`, 'sh', group?.door ?? ''], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    await once(child, 'close');
    return { said, outOfMemory: (await group?.ranOutOfMemory()) === true };
  }
  const hold = (mib: number): string => `perl -e '$x = "x" x ${mib * MIB}; print "held\n"; sleep 1'`;

  it('ends a command whose processes take too much together, though each takes little', async () => {
    expect(await joined(hold(25))).toEqual({ said: 'held\n', outOfMemory: false });
    const { said, outOfMemory } = await joined(`for i in 1 2 3 4; do ${hold(25)} & done; wait; echo survived`);
    expect(outOfMemory).toBe(true);
    expect(said).not.toContain('survived');
  });

  it('bounds the number of processes', async () => {
    const { said } = await joined('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do sleep 5 & done 2>/dev/null; echo all');
    expect(said).not.toContain('all');
  });

  it('ends what is left in it, and is gone then', async () => {
    const group = await real?.open(LIMITS);
    const left = spawn('/bin/sh', ['-c', 'echo 0 > "$1"; echo in; exec setsid sleep 60', 'sh', group?.door ?? ''], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(left.stdout, 'data');
    const ended = once(left, 'exit');
    await group?.[Symbol.asyncDispose]();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect((await readdir(real?.parent ?? '')).filter((name) => name.startsWith(`synapse-${process.pid}-`))).toEqual([]);
  });
});

describe.skipIf(real === undefined || (await findBubblewrap()) === undefined).each(TEST_USERS)('a command in the sandbox as %s', (user) => {
  it('is bounded as a whole, and the error says by what', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { totalMemoryBytes: 96 * MIB } } });
    expect(await bench.inside(`perl -e '$x = "x" x ${40 * MIB}; print "held"'`)).toMatchObject({ stdout: 'held' });
    const greedy = bench.inside(`for i in 1 2 3 4; do perl -e '$x = "x" x ${40 * MIB}; sleep 5' & done; wait`);
    await expect(greedy).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('more than the 0.1 GiB') as string });
    expect(await bench.inside('echo after')).toMatchObject({ stdout: 'after\n' });
  });
});
