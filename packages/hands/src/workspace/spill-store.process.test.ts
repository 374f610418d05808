import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { SpillStore } from './spill-store.ts';

let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'synapse-spill-'));
  folder = join(base, 'state', 'spills');
});

async function aged(name: string, days: number, bytes = 10): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, Buffer.alloc(bytes));
  const at = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  await utimes(path, at, at);
}

describe('SpillStore', () => {
  it('stores every output under a unique name that only the user can read', async () => {
    const store = new SpillStore(folder);
    const handles = Array.from({ length: 50 }, () => {
      const writer = store.create();
      writer.write(Buffer.from('text'));
      writer.close();
      return writer.handle;
    });
    expect(new Set(handles).size).toBe(50);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const handle of handles) expect((await stat(store.resolve(handle) ?? '')).mode & 0o777).toBe(0o600);
    using file = store.open(handles[0] ?? '');
    expect((await file?.read(0, 10))?.toString()).toBe('text');
  });

  it('narrows a folder that was made too wide', async () => {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    new SpillStore(folder).create().close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('makes the folder again when it was removed', async () => {
    const store = new SpillStore(folder);
    store.create().close();
    await rm(folder, { recursive: true });
    store.create().close();
    expect(await readdir(folder)).toHaveLength(1);
  });

  it.each(['spill:../../etc/passwd', 'spill:', 'spill:ABCDEF012345678901234567', 'src/a.ts', 'spill:0123456789abcdef01234567/x'])(
    'takes %s for no handle',
    (text) => {
      expect(new SpillStore(folder).resolve(text)).toBeUndefined();
      expect(new SpillStore(folder).open(text)).toBeUndefined();
    },
  );

  it('says that an output is gone, and follows no link', async () => {
    const store = new SpillStore(folder);
    expect(() => store.open('spill:0123456789abcdef01234567')).toThrow(/is gone/u);
    store.create().close();
    await symlink('/etc/passwd', join(folder, '0123456789abcdef01234567'));
    expect(() => store.open('spill:0123456789abcdef01234567')).toThrow(/is a link/u);
  });

  it('removes what is older than seven days', async () => {
    await mkdir(folder, { recursive: true });
    await aged('old', 7.1);
    await aged('young', 6.9);
    new SpillStore(folder).create().discard();
    expect(await readdir(folder)).toEqual(['young']);
  });

  it('keeps to its quota, the newest first, also while it goes on', async () => {
    await mkdir(folder, { recursive: true });
    for (const day of [1, 2, 3, 4]) await aged(`day-${day}`, day, 400);
    const store = new SpillStore(folder, { maxTotalBytes: 1_000 });
    store.create().discard();
    expect((await readdir(folder)).toSorted()).toEqual(['day-1', 'day-2']);
    for (let count = 0; count < 20; count += 1) {
      const writer = store.create();
      writer.write(Buffer.alloc(300));
      writer.close();
    }
    expect((await readdir(folder)).length).toBeLessThanOrEqual(5);
  });

  it('stands other processes that clean the same folder', async () => {
    await mkdir(folder, { recursive: true });
    for (let index = 0; index < 400; index += 1) await aged(`old-${index}`, 8);
    const script = `
      import { SpillStore } from ${JSON.stringify(new URL('spill-store.ts', import.meta.url).href)};
      for (let round = 0; round < 20; round += 1) new SpillStore(${JSON.stringify(folder)}, { maxTotalBytes: 5 }).create().close();
      for (let round = 0; round < 20; round += 1) {
        const writer = new SpillStore(${JSON.stringify(folder)}, { maxTotalBytes: 5 }).create();
        writer.write(Buffer.alloc(10));
        writer.close();
      }`;
    const clean = (): Promise<unknown> =>
      promisify(execFile)(process.execPath, ['--conditions=synapse-source', '--input-type=module', '-e', script], { timeout: 20_000 });
    await Promise.all([clean(), clean(), clean()]);
    expect((await readdir(folder)).filter((name) => name.startsWith('old'))).toEqual([]);
  });
});
