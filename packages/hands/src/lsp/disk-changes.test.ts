import { mkdirSync, mkdtempSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { FolderIndex, type FolderIndexOptions } from '../workspace-index/folder-index.ts';
import { DiskChangeSource } from './disk-changes.ts';
import { serverFor } from './server-table.ts';
import type { DiskChanges } from './watched-files.ts';

let root: string;
let stack: DisposableStack;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'synapse-disk-'));
  stack = new DisposableStack();
});
afterEach(() => {
  stack.dispose();
});

const row = serverFor('a.ts')?.row ?? expect.fail();

function open(options: FolderIndexOptions = {}): () => Promise<DiskChanges> {
  const confinement = stack.use(new HandleConfinement(root));
  const source = new DiskChangeSource(row, stack.use(new FolderIndex(confinement, options)));
  let modified = 1_700_000_000_000;
  return () => source.next(async () => [{ path: 'looked.ts', size: 1, modified: (modified += 1) }]);
}

const put = (path: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), '');
};

it('reports every change, whatever its time and however many files are newer', async () => {
  for (let count = 0; count < 2_500; count += 1) put(`many/${count}.ts`);
  const next = open();
  expect((await next()).restart).toBe(true);
  expect(await next()).toEqual({ events: [], restart: false });
  put('src/old.ts');
  utimesSync(join(root, 'src/old.ts'), 1, 1);
  put('src/readme.md');
  put('.git/x.ts');
  writeFileSync(join(root, 'many/7.ts'), 'broken');
  renameSync(join(root, 'many/8.ts'), join(root, 'elsewhere'));
  const { events, restart } = await next();
  expect(restart).toBe(false);
  expect(events.toSorted((one, other) => one.type - other.type)).toEqual([
    { path: 'src/old.ts', type: 1 },
    { path: 'many/7.ts', type: 2 },
    { path: 'many/8.ts', type: 3 },
  ]);
});

it('restarts the server after a change of the project configuration', async () => {
  const next = open();
  await next();
  put('packages/a/tsconfig.json');
  expect(await next()).toMatchObject({ restart: true });
});

it('restarts the server if events may be lost', async () => {
  const next = open({ queueLimit: 20 });
  await next();
  for (let count = 0; count < 30; count += 1) put(`${count}.ts`);
  expect(await next()).toMatchObject({ restart: true });
  put('x.ts');
  expect(await next()).toEqual({ events: [{ path: 'x.ts', type: 1 }], restart: false });
});

it('compares the newest files where folders cannot be watched', async () => {
  const next = open({
    onWatch: () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  await next();
  expect(await next()).toEqual({ events: [{ path: 'looked.ts', type: 2 }], restart: false });
});
