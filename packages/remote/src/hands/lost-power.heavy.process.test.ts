import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerRow } from '@synapse/protocol/remote';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LedgerFile, type Disk } from './ledger-file.ts';

/** A file system in a file. What reached its disk is in the file; a copy of it is what a loss of power leaves. */
function openDisk(folder: string) {
  const image = join(folder, 'disk');
  const place = join(folder, 'mounted');
  mkdirSync(place);
  writeFileSync(image, '');
  truncateSync(image, 16_777_216);
  execFileSync('mkfs.ext4', ['-q', image]);
  const mount = (file = image): void => void execFileSync('mount', ['-o', 'loop', file, place], { stdio: 'ignore' });
  const unmount = async (): Promise<void> =>
    // The ledger closes its journal once the disk has it.
    await vi.waitFor(() => void execFileSync('umount', [place], { stdio: 'ignore' }), 5_000);
  return { image, place, mount, unmount };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'synapse-power-'));

async function canMount(): Promise<boolean> {
  const folder = newFolder();
  try {
    const { mount, unmount } = openDisk(folder);
    mount();
    await unmount();
    return true;
  } catch {
    // Not as root, or no loop devices.
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CALLS = 300;
const EVERY = 25;
const row = (index: number, state: 'started' | 'done'): LedgerRow => ({
  id: `call-${index}`,
  hash: 'h',
  state,
  ...(state === 'done' ? { result: { status: 'success', bytes: 1, sha256: 's' } } : { call: { tool: 'count', args: { text: 'x'.repeat(200) } } }),
});

/** Makes calls one after the other, each of which has its effect once its start was flushed. The power is lost after some of these effects. */
async function lose(disk?: Disk): Promise<{ readonly unknown: number; readonly open: readonly number[] }> {
  const folder = newFolder();
  const { image, place, mount, unmount } = openDisk(folder);
  onTestFinished(() => {
    // Only after a failure, it is still mounted.
    spawnSync('umount', ['-l', place]);
    rmSync(folder, { recursive: true, force: true });
  });
  const losses: number[] = [];
  mount();
  {
    using ledger = new LedgerFile(join(place, 'ledger', 'ledger.sqlite'), Date.now(), undefined, disk);
    for (let index = 0; index < CALLS; index += 1) {
      ledger.put(row(index, 'started'));
      ledger.flush();
      if (index % EVERY === 0) {
        copyFileSync(image, join(folder, `lost-${index}`));
        losses.push(index);
      }
      ledger.put(row(index, 'done'), 'result'.padEnd(300, '.'));
      ledger.flushEnded();
      if (index % 7 === 0) await ledger.sync();
    }
  }
  await unmount();
  let unknown = 0;
  const open: number[] = [];
  for (const last of losses) {
    mount(join(folder, `lost-${last}`));
    {
      using ledger = new LedgerFile(join(place, 'ledger', 'ledger.sqlite'));
      const rows = Array.from({ length: last + 1 }, (_, index) => ledger.get(`call-${index}`));
      unknown += rows.filter((one) => one === undefined).length;
      open.push(rows.filter((one) => one?.state === 'started').length);
    }
    await unmount();
  }
  return { unknown, open };
}

it.skipIf(!(await canMount()))(
  'after a loss of power, no call that had an effect is unknown, and at most the last has no result',
  { timeout: 120_000 },
  async () => {
    const { unknown, open } = await lose();
    expect(unknown).toBe(0);
    expect(Math.max(...open)).toBe(1);
    // The control: without waiting for the disk, calls would run again.
    const control = await lose({ wait: () => {}, waitLater: async () => await Promise.resolve() });
    expect(control.unknown).toBeGreaterThan(0);
  },
);
