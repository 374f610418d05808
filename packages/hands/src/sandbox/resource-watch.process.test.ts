import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { availableMemory, onePerDisk, watchMemory } from './resource-watch.ts';

const MIB = 2 ** 20;
const ended = (signal: AbortSignal): Promise<unknown> => (signal.aborted ? Promise.resolve() : once(signal, 'abort'));
const refusal = { code: 'unavailable', message: expect.stringContaining('memory of this machine') as string };

it.each([
  ['what is kept free is used', 4_000, 1_000, 999],
  ['a quarter is left where there was little', 1_200, 1_000, 299],
])('ends a command when %s', async (_, start, keep, now) => {
  const seen = [start, now];
  using watch = watchMemory(keep * MIB, async () => (seen.shift() ?? now) * MIB);
  await ended(watch.signal);
  expect(watch.signal.reason).toMatchObject(refusal);
});

it('lets one go on that leaves enough, and where memory cannot be asked', async () => {
  const looks = Promise.withResolvers<void>();
  let left = 3;
  using watch = watchMemory(1_000 * MIB, async () => {
    left -= 1;
    if (left === 0) looks.resolve();
    if (left === 1) throw new Error('no /proc');
    return 1_000 * MIB;
  });
  await looks.promise;
  expect(watch.signal.aborted).toBe(false);
});

it.runIf(process.platform === 'linux')('sees what other processes take, all of them together', async () => {
  const start = await availableMemory();
  // As if the machine had 450 MiB left: each of the three takes less than that, and all together more.
  using watch = watchMemory(100 * MIB, async () => 450 * MIB - (start - (await availableMemory())));
  const holders = [1, 2, 3].map(() => spawn('perl', ['-e', `$x = "x" x ${150 * MIB}; sleep 60`], { stdio: 'ignore' }));
  onTestFinished(() => holders.forEach((holder) => void holder.kill('SIGKILL')));
  await ended(watch.signal);
  expect(watch.signal.reason).toMatchObject(refusal);
});

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('a command in the sandbox as %s', (user) => {
  it('is ended when memory runs out', async () => {
    // Nothing is as much as this, so that there is never enough.
    await using bench = await SandboxBench.open(user, { policy: { limits: { keepFreeMemoryBytes: Number.NaN } } });
    // Not hardened it begins at once, so that what is ended is a command that runs.
    await expect(bench.inside('sleep 3; echo x > went-on', { hardened: false })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('memory') as string,
    });
    expect(existsSync(bench.at('went-on'))).toBe(false);
  });

  it('is not ended while there is memory, whatever is to be kept', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { keepFreeMemoryBytes: Number.MAX_SAFE_INTEGER } } });
    // A quarter of what is there is the floor then; nothing here comes near it.
    expect(await bench.inside('sleep 0.5; echo fine')).toMatchObject({ stdout: 'fine\n' });
  });
});

it('looks at each disk once, and at what cannot be looked at, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-disks-'));
  const missing = join(folder, 'missing');
  const other = statSync('/proc').dev === statSync(folder).dev ? [] : ['/proc'];
  expect(onePerDisk([tmpdir(), folder, '/proc', missing])).toEqual([folder, ...other, missing]);
});
