import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROGRAMS } from '../launch/programs.ts';
import { systemProgram } from '../launch/system-program.ts';
import { nameFromBytes, type Name } from '../workspace/byte-name.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { AttributeWorker } from './attribute-worker.ts';
import { ATTRIBUTE_CALLS } from '../launch/attribute-calls.ts';
import { AttributeOrders, isOpaque } from './exact-attributes.ts';

let folder: string;
let stack: DisposableStack;
let root: PinnedDirectory;
let worker: AttributeWorker;
const { signal } = new AbortController();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synapse-attributes-'));
  stack = new DisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  root = stack.use(stack.use(new HandleConfinement(folder)).openDirectory([]));
  worker = stack.use(new AttributeWorker());
});
afterEach(() => stack.dispose());

const named = (text: string): Name => nameFromBytes(Buffer.from(text));
const python = (code: string, ...rest: string[]): string =>
  execFileSync('python3', ['-c', `import os, sys\n${code}`, ...rest], { encoding: 'utf8' }).trim();
const mark = (path: string, name: string, value = 'y'): string =>
  python('os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode(), follow_symlinks=False)', join(folder, path), name, value);
const marks = (path: string): string => python('print(sorted(os.listxattr(sys.argv[1], follow_symlinks=False)))', join(folder, path));

describe.skipIf(systemProgram('perl') === undefined || process.platform !== 'linux')('the worker for attributes', () => {
  it('takes the marks of overlays, and no others, however deep', async () => {
    mkdirSync(join(folder, 'a', 'line\nbreak'), { recursive: true });
    writeFileSync(join(folder, 'a', 'line\nbreak', 'file'), '');
    for (const path of ['a', 'a/line\nbreak', 'a/line\nbreak/file']) mark(path, 'user.overlay.origin');
    mark('a', 'user.mine');
    const orders = new AttributeOrders();
    orders.clean([named('a')], 'all');
    await orders.run(worker, root, signal);
    expect([marks('a'), marks('a/line\nbreak'), marks('a/line\nbreak/file')]).toEqual([`['user.mine']`, '[]', '[]']);
  });

  it('takes the marks of folders alone, however deep', async () => {
    mkdirSync(join(folder, 'a', 'b', 'c'), { recursive: true });
    writeFileSync(join(folder, 'a', 'b', 'file'), '');
    for (const path of ['a', 'a/b', 'a/b/c', 'a/b/file']) mark(path, 'user.overlay.opaque');
    const orders = new AttributeOrders();
    orders.clean([named('a')], 'folders');
    await orders.run(worker, root, signal);
    expect(['a', 'a/b', 'a/b/c', 'a/b/file'].map(marks)).toEqual(['[]', '[]', '[]', `['user.overlay.opaque']`]);
  });

  it('removes the marks from what has no write permission, and leaves its mode, as a normal user', () => {
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'object'), '');
    for (const path of ['a', 'a/object']) mark(path, 'user.overlay.origin');
    chmodSync(join(folder, 'a', 'object'), 0o444);
    chmodSync(join(folder, 'a'), 0o555);
    const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    if ('uid' in owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
    const orders = ['start', folder, 'all', 'a', 'end', ''].join('\0');
    const ran = spawnSync('perl', ['-e', PROGRAMS['attributes.pl'], ...(ATTRIBUTE_CALLS[process.arch] ?? []).map(String)], {
      cwd: '/',
      input: orders,
      encoding: 'utf8',
      ...owner,
    });
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n', stderr: '' });
    expect([marks('a'), marks('a/object')]).toEqual(['[]', '[]']);
    expect(['a', 'a/object'].map((path) => statSync(join(folder, path)).mode & 0o7777)).toEqual([0o555, 0o444]);
    chmodSync(join(folder, 'a'), 0o755);
  });

  it('tells whether a folder hides what is under it', async () => {
    for (const name of ['hides', 'shows', 'other']) mkdirSync(join(folder, name));
    mark('hides', 'user.overlay.opaque');
    mark('other', 'user.overlay.opaque', 'x');
    const tell = (name: string): Promise<boolean | undefined> => isOpaque(worker, root, [named(name)], signal);
    expect(await Promise.all(['hides', 'shows', 'other', 'missing'].map(tell))).toEqual([true, false, false, undefined]);
  });

  it('gives a folder its times to the nanosecond', async () => {
    mkdirSync(join(folder, 'a'));
    const orders = new AttributeOrders();
    using held = root.child(named('a'));
    orders.setTimes(held, { atimeNs: 1_000_000_000_123_456_789n, mtimeNs: 1_100_000_000_987_654_321n });
    await orders.run(worker, root, signal);
    const { atimeNs, mtimeNs } = statSync(join(folder, 'a'), { bigint: true });
    expect([atimeNs, mtimeNs]).toEqual([1_000_000_000_123_456_789n, 1_100_000_000_987_654_321n]);
  });

  it('follows no link, also where one took the place of a folder', async () => {
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside', 'file'), '');
    mark('outside/file', 'user.overlay.origin');
    execFileSync('ln', ['-s', 'outside', join(folder, 'link')]);
    const orders = new AttributeOrders();
    orders.clean([named('link'), named('file')], 'all');
    orders.clean([named('link')], 'below');
    await orders.run(worker, root, signal);
    expect(marks('outside/file')).toBe(`['user.overlay.origin']`);
  });

  it('settles when it is ended, and is there again for the next', async () => {
    mkdirSync(join(folder, 'a'));
    const controller = new AbortController();
    // A folder that is not there ends the process itself.
    const ended = worker.run(Buffer.from(`start\0${join(folder, 'missing')}\0`), signal);
    const cancelled = worker.run(Buffer.from('opaque\0a\0'), controller.signal);
    controller.abort();
    expect(await Promise.all([ended, cancelled])).toEqual([undefined, undefined]);
    expect(await isOpaque(worker, root, [named('a')], signal)).toBe(false);
  });
});
