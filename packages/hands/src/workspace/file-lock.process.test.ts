import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileLocks } from './file-lock.ts';

let folder: string;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synapse-locks-'));
});

describe('FileLocks', () => {
  it('runs one holder of a key at a time, and different keys together', async () => {
    const locks = new FileLocks(folder);
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => locks.hold(['a'], never, work)));
    expect(most).toBe(1);
    most = 0;
    await Promise.all(['a', 'b', 'c'].map((key) => locks.hold([key], never, work)));
    expect(most).toBeGreaterThan(1);
  });

  it('does not deadlock where keys are named in opposite order', async () => {
    const locks = new FileLocks(folder);
    const order: string[] = [];
    await Promise.all([
      locks.hold(['a', 'b'], never, async () => void order.push('ab')),
      locks.hold(['b', 'a'], never, async () => void order.push('ba')),
    ]);
    expect(order.toSorted()).toEqual(['ab', 'ba']);
  });

  it('leaves no lock file behind, also when the work fails', async () => {
    const locks = new FileLocks(folder);
    await expect(locks.hold(['a'], never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes over the lock of a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const locks = new FileLocks(folder);
    await locks
      .hold(['a'], never, async () => {
        const [file] = await readdir(folder);
        await writeFile(join(folder, 'copy'), `${child.pid} 1\n`);
        expect(await readFile(join(folder, file!), 'utf8')).toContain(String(process.pid));
        return file!;
      })
      .then((file) => writeFile(join(folder, file), `${child.pid} 1\n`));
    await expect(locks.hold(['a'], never, async () => 'mine')).resolves.toBe('mine');
  });

  it('stops waiting when the signal is aborted', async () => {
    const locks = new FileLocks(folder);
    const other = new FileLocks(folder);
    const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
    const held = locks.hold(['a'], never, () => hold);
    const controller = new AbortController();
    const waiting = other.hold(['a'], controller.signal, async () => 'never');
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow();
    letGo();
    await held;
  });

  it('counts right over several processes', async () => {
    const counter = join(folder, 'counter');
    await writeFile(counter, '0');
    const script = `
      import { FileLocks } from ${JSON.stringify(new URL('file-lock.ts', import.meta.url).href)};
      import { readFileSync, writeFileSync } from 'node:fs';
      const locks = new FileLocks(${JSON.stringify(folder)});
      for (let i = 0; i < 40; i++) await locks.hold(['c'], new AbortController().signal, async () => {
        const value = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
        await new Promise(setImmediate);
        writeFileSync(${JSON.stringify(counter)}, String(value + 1));
      });`;
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--conditions=synapse-source', '--input-type=module', '-e', script], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(children.map((child) => once(child, 'exit').then(([code]) => code as number)));
    expect(codes).toEqual([0, 0, 0]);
    expect(await readFile(counter, 'utf8')).toBe('120');
  });
});
