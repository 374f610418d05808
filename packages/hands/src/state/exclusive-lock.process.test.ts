import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ExclusiveLock, LeasedLock } from './exclusive-lock.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';

async function place() {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-lock-'));
  const released: string[] = [];
  const file = join(folder, 'lock');
  const open = (name: string, path = file): LeasedLock => new LeasedLock(path, () => void released.push(name));
  /** Whether somebody who does not wait could have the lock. */
  const isFree = (): boolean => {
    using other = new ExclusiveLock(file);
    return other.take(0);
  };
  return { folder, file, released, open, isFree };
}

// On a machine with other work a lease may be over between two steps.
it('is kept after the work, and given back by itself', { retry: 2 }, async () => {
  const { open, isFree, released } = await place();
  using lock = open('a');
  expect(lock.hold(() => isFree())).toBe(false);
  expect([lock.hold(() => 'work'), isFree(), released]).toEqual(['work', false, []]);
  await expect.poll(() => released).toEqual(['a']);
  expect(isFree()).toBe(true);
});

it('is given back when it is closed, and after work that failed', async () => {
  const { open, isFree, released } = await place();
  {
    using lock = open('a');
    const fails = (): void =>
      lock.hold(() => {
        throw new Error('failed');
      });
    expect(fails).toThrow('failed');
  }
  expect([isFree(), released]).toEqual([true, ['a']]);
});

it('does not make another one of this process wait, by whatever path it is named', async () => {
  const { folder, open, released } = await place();
  using first = open('first');
  symlinkSync(folder, `${folder}-link`);
  using second = open('second', join(`${folder}-link`, 'lock'));
  const order: string[] = [];
  for (const [name, lock] of [
    ['first', first],
    ['second', second],
    ['first', first],
  ] as const)
    lock.hold(() => order.push(name));
  expect(order).toEqual(['first', 'second', 'first']);
  expect(released).toEqual(['first', 'second']);
});

it('is not lost by opening another one', async () => {
  const { file, open } = await place();
  using first = open('first');
  first.hold(() => {});
  // Any handle of the file that this process closes would give its locks back, and no other process would know better.
  new ExclusiveLock(file)[Symbol.dispose]();
  const script = `
    import { ExclusiveLock } from ${sourceUrl('state/exclusive-lock.ts')};
    using lock = new ExclusiveLock(${JSON.stringify(file)});
    console.log(lock.take(0));`;
  const held = first.hold(() => spawnSync(process.execPath, ['--conditions=synapse-source', '--input-type=module', '-e', script]).stdout.toString());
  expect(held).toBe('false\n');
});

it('is given back at once for a while after somebody wanted it, and the note goes', async () => {
  const { file, open, isFree } = await place();
  using lock = open('a');
  // As a process leaves it that was killed while it waited.
  writeFileSync(`${file}.wanted`, '');
  lock.hold(() => {});
  expect([isFree(), existsSync(`${file}.wanted`)]).toEqual([true, false]);
  lock.hold(() => {});
  expect(isFree()).toBe(true);
});

it('is given back by a caller that never lets the event loop turn', async () => {
  const { open, released } = await place();
  using lock = open('a');
  for (const end = performance.now() + 5_000; released.length < 2 && performance.now() < end;) lock.hold(() => {});
  expect(released.length).toBeGreaterThan(1);
});

it('goes to another process that wants it, while this one works on', async () => {
  const { file, open } = await place();
  using lock = open('a');
  const { output } = runScript(`
    import { LeasedLock } from ${sourceUrl('state/exclusive-lock.ts')};
    using lock = new LeasedLock(${JSON.stringify(file)}, () => {});
    for (let index = 0; index < 50; index += 1) lock.hold(() => {});
    console.log('done');`);
  const ended = new AbortController();
  void output.then(() => ended.abort());
  while (!ended.signal.aborted) {
    for (let index = 0; index < 100; index += 1) lock.hold(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await output).toBe('done\n');
});
