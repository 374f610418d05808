import { linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { DeniedPathIndex } from './denied-path-index.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-linked-')));
  mkdirSync(join(base, 'store'));
  mkdirSync(join(base, 'workspace'));
});

let count = 0;
function put(path: string, from?: string): void {
  const at = join(base, 'workspace', path);
  mkdirSync(dirname(at), { recursive: true });
  count += 1;
  const stored = from === undefined ? undefined : join(base, from === '' ? `store/${count}` : `workspace/${from}`);
  if (stored === undefined) return writeFileSync(at, 'own');
  if (from === '') writeFileSync(stored, 'stored');
  linkSync(stored, at);
}
async function found(): Promise<string[]> {
  using confinement = new HandleConfinement(join(base, 'workspace'));
  using index = new DeniedPathIndex(confinement, { read: () => false });
  return (await index.namesOutside()).toSorted();
}

it('finds single files, and folders in which all are such', async () => {
  put('a/own');
  put('a/linked', '');
  put('p/q/one', '');
  put('p/q/two', '');
  put('p/own');
  put('twice/one');
  put('twice/two', 'twice/one');
  expect(await found()).toEqual(['a/linked', 'p/q']);
});

it('follows what changes, also in a folder that stays as it was', async () => {
  put('a/one');
  put('a/two');
  put('b/own');
  using confinement = new HandleConfinement(join(base, 'workspace'));
  using index = new DeniedPathIndex(confinement, { read: () => false });
  expect(await index.namesOutside()).toEqual([]);
  put('b/second', 'a/one');
  expect(await index.namesOutside()).toEqual([]);
  put('b/linked', '');
  expect(await index.namesOutside()).toEqual(['b/linked']);
  // Its name in the workspace is gone, and the file is not.
  renameSync(join(base, 'workspace/b/second'), join(base, 'store/second'));
  expect((await index.namesOutside()).toSorted()).toEqual(['a/one', 'b/linked']);
  rmSync(join(base, 'store/second'));
  expect(await index.namesOutside()).toEqual(['b/linked']);
});

it('closes what package managers installed as a whole where there is much', async () => {
  for (let index = 0; index < 301; index += 1) {
    put(`node_modules/.pnpm/p${index}/own`);
    put(`node_modules/.pnpm/p${index}/linked`, '');
  }
  put('node_modules/.vite/own');
  expect(await found()).toEqual(['node_modules/.pnpm']);
});

it('closes packages one by one where caches are beside them', async () => {
  for (let index = 0; index < 301; index += 1) {
    put(`node_modules/p${index}/own`);
    put(`node_modules/p${index}/linked`, '');
  }
  put('node_modules/@scope/name/deep/own');
  put('node_modules/@scope/name/deep/linked', '');
  put('node_modules/.vite-temp/own');
  const closed = await found();
  expect(closed).toHaveLength(302);
  expect(closed).toEqual(expect.arrayContaining(['node_modules/p0', 'node_modules/p300', 'node_modules/@scope/name']));
});

it('refuses what would be too much', async () => {
  for (let index = 0; index < 301; index += 1) {
    put(`src/${index}/own`);
    put(`src/${index}/linked`, '');
  }
  await expect(found()).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('301 places in it have second names outside') as unknown,
  });
});

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('a file with a second name outside, as %s', (user) => {
  it('is not written through', async () => {
    await using bench = await SandboxBench.open(user, { files: { 'a.txt': 'a' } });
    await bench.outsideOf('echo stored > ../stored; chmod 666 ../stored; ln ../stored linked; ln a.txt b.txt; mkdir d; ln ../stored d/x');
    const stored = bench.at('../stored');
    for (const attempt of ['echo changed > linked', 'echo changed >> d/x', 'mv linked other && echo changed > other', 'chmod 777 linked']) {
      expect([attempt, (await bench.inside(`{ ${attempt}; } 2>/dev/null && echo worked`)).stdout]).toEqual([attempt, '']);
      expect(readFileSync(stored, 'utf8')).toBe('stored\n');
    }
    expect((await bench.inside('cat linked; echo new > b.txt; cat a.txt')).stdout).toBe('stored\nnew\n');
    // Without the protection it is.
    await bench.outsideOf('echo changed > linked');
    expect(readFileSync(stored, 'utf8')).toBe('changed\n');
  });
});
