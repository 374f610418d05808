import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileLocks } from '../../workspace/file-lock.ts';
import { processIdentity } from '../../workspace/process-identity.ts';
import type { OpaqueMarks } from './merge-layer.ts';
import { KeptLayers, removeUnused, type KeptOptions } from './kept-layers.ts';

const base = mkdtempSync(join(tmpdir(), 'synapse-kept-'));

let at = '';
let folder = '';
beforeEach(() => {
  at = mkdtempSync(join(base, 'case-'));
  folder = join(at, 'caches', 'project');
});

const marksThat = (has: boolean | undefined): OpaqueMarks => ({ has: () => Promise.resolve(has), set: () => Promise.resolve(false) });
const open = (rest: Partial<KeptOptions> = {}): KeptLayers =>
  new KeptLayers({ folder, root: at, locks: new FileLocks(join(at, 'locks')), marks: marksThat(false), ...rest });

/** Files that a command wrote above a folder. */
function written(files: Readonly<Record<string, string>>): string {
  const upper = mkdtempSync(join(at, 'upper-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(upper, path)), { recursive: true });
    writeFileSync(join(upper, path), text);
  }
  return upper;
}

const alone = (): boolean => true;
const CACHE = '/home/a/.cache/pip';
const HOME = '/home/a';
const DIVIDED = [
  { path: '.cache', isDivided: true },
  { path: 'go/pkg/mod', isDivided: false },
];

describe('what commands wrote to caches', () => {
  it('is seen by later commands, and replaced by what they write', async () => {
    const layers = open();
    expect(layers.layerOf(CACHE)).toBeUndefined();
    await layers.keep([{ path: CACHE, upper: written({ 'a/x': 'one', 'a/y': 'kept' }), only: undefined }], alone);
    await layers.keep([{ path: CACHE, upper: written({ 'a/x': 'two', b: 'new' }), only: undefined }], alone);
    const tree = layers.layerOf(CACHE) ?? '';
    expect(['a/x', 'a/y', 'b'].map((path) => readFileSync(join(tree, path), 'utf8'))).toEqual(['two', 'kept', 'new']);
    // Another process sees the same.
    expect(open().units()).toMatchObject([{ path: CACHE, entries: 4 }]);
  });

  it('replaces a folder that was deleted and made again', async () => {
    await open().keep([{ path: CACHE, upper: written({ 'a/old': '1' }), only: undefined }], alone);
    const layers = open({ marks: marksThat(true) });
    await layers.keep([{ path: CACHE, upper: written({ 'a/new': '1' }), only: undefined }], alone);
    expect(readdirSync(join(layers.layerOf(CACHE) ?? '', 'a'))).toEqual(['new']);
    expect(layers.units()).toMatchObject([{ entries: 2 }]);
  });

  it('replaces it too if that cannot be told, because nothing deleted may come back', async () => {
    const layers = open({ marks: marksThat(undefined) });
    await layers.keep([{ path: CACHE, upper: written({ 'a/old': '1' }), only: undefined }], alone);
    await layers.keep([{ path: CACHE, upper: written({ 'a/new': '1' }), only: undefined }], alone);
    expect(readdirSync(join(layers.layerOf(CACHE) ?? '', 'a'))).toEqual(['new']);
  });

  it('is kept from a home folder only where caches are', async () => {
    const layers = open();
    const files = { '.cache/go-build/a': '1', '.cache/plain': '1', 'go/pkg/mod/m/a': '1', 'go/bin/tool': '1', '.bashrc': '1', '.npmrc': '1' };
    await layers.keep([{ path: HOME, upper: written(files), only: DIVIDED }], alone);
    const home = layers.home ?? '';
    expect([readdirSync(home).toSorted(), readdirSync(join(home, '.cache')), readdirSync(join(home, 'go'))]).toEqual([
      ['.cache', 'go'],
      ['go-build'],
      ['pkg'],
    ]);
    expect(layers.units().map(({ path }) => path)).toEqual(expect.arrayContaining(['/home/a/.cache/go-build', '/home/a/go/pkg/mod']));
  });

  it('keeps folders that their owner may not write to, as Go makes them', async () => {
    const layers = open();
    for (const text of ['one', 'two']) {
      const upper = written({ 'm@v1/a': text, [`m@v1/${text}`]: '' });
      chmodSync(join(upper, 'm@v1'), 0o555);
      await layers.keep([{ path: CACHE, upper, only: undefined }], alone);
    }
    const tree = join(layers.layerOf(CACHE) ?? '', 'm@v1');
    expect([readFileSync(join(tree, 'a'), 'utf8'), readdirSync(tree), lstatSync(tree).mode & 0o777]).toEqual(['two', ['a', 'one', 'two'], 0o555]);
  });
});

describe('a hostile command', () => {
  it('leads nothing out of the layer by links', async () => {
    const outside = written({ secret: 'outside' });
    const layers = open();
    const first = written({});
    symlinkSync(outside, join(first, 'a'));
    await layers.keep([{ path: CACHE, upper: first, only: undefined }], alone);
    await layers.keep([{ path: CACHE, upper: written({ 'a/secret': 'overwritten', 'a/more': '' }), only: undefined }], alone);
    expect([readFileSync(join(outside, 'secret'), 'utf8'), readdirSync(outside)]).toEqual(['outside', ['secret']]);
    expect(lstatSync(join(layers.layerOf(CACHE) ?? '', 'a')).isDirectory()).toBe(true);
    // A link in place of a folder that contains a cache.
    const second = written({});
    symlinkSync(outside, join(second, 'go'));
    symlinkSync(outside, join(second, '.cache'));
    await layers.keep([{ path: HOME, upper: second, only: DIVIDED }], alone);
    expect(layers.home).toBeUndefined();
  });

  it('leaves no link where something is mounted', async () => {
    const layers = open();
    const upper = written({ '.cache/tools/a': '' });
    symlinkSync('/', join(upper, '.cache/tools/pip'));
    await layers.keep([{ path: HOME, upper, only: DIVIDED }], alone);
    const link = join(layers.home ?? '', '.cache/tools/pip');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await layers.makeRoom([{ path: '.cache/tools/pip/deep', isFolder: true }]);
    expect([existsSync(link), existsSync(join(layers.home ?? '', '.cache/tools/a'))]).toEqual([false, true]);
  });

  it('keeps no rights of set-id files', async () => {
    const layers = open();
    const upper = written({ a: '' });
    chmodSync(join(upper, 'a'), 0o6755);
    await layers.keep([{ path: CACHE, upper, only: undefined }], alone);
    expect(lstatSync(join(layers.layerOf(CACHE) ?? '', 'a')).mode & 0o7777).toBe(0o755);
  });

  it('fills no more than the budget', async () => {
    const layers = open({ budgetBytes: 100_000 });
    await layers.keep([{ path: '/c/old', upper: written({ a: 'x'.repeat(40_000) }), only: undefined }], alone);
    await layers.keep([{ path: '/c/new', upper: written({ a: 'x'.repeat(40_000) }), only: undefined }], alone);
    expect(layers.units().map(({ path }) => path)).toEqual(['/c/new', '/c/old']);
    // While another command reads the layers, none of them is deleted.
    const third = await layers.keep([{ path: '/c/third', upper: written({ a: 'x'.repeat(40_000) }), only: undefined }], () => false);
    expect(third).toEqual([{ path: '/c/third', why: 'the caches of the project are full, and other commands use them' }]);
    expect(layers.units().map(({ path }) => path)).toEqual(['/c/new', '/c/old']);
    expect(await layers.keep([{ path: '/c/third', upper: written({ a: 'x'.repeat(40_000) }), only: undefined }], alone)).toEqual([]);
    expect(layers.units().map(({ path }) => path)).toEqual(['/c/third', '/c/new']);
    const huge = await layers.keep([{ path: '/c/huge', upper: written({ a: 'x'.repeat(200_000) }), only: undefined }], alone);
    const why = expect.stringMatching(/^too large or too deep, as the caches of a project may take [\d.]+KB$/u) as string;
    expect(huge).toEqual([{ path: '/c/huge', why }]);
    expect(layers.units().map(({ path }) => path)).toEqual(['/c/third', '/c/new']);
  });
});

it('has one reason for many caches that are too large, though the disk changes meanwhile', async () => {
  const files = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`.cache/c${index}/a`, 'x'.repeat(5000)]));
  const lost = await open({ budgetBytes: 4096 }).keep([{ path: HOME, upper: written(files), only: DIVIDED }], alone);
  expect([lost.length, new Set(lost.map(({ why }) => why)).size]).toEqual([100, 1]);
});

describe('what cannot be used', () => {
  const fill = async (): Promise<unknown> => await open().keep([{ path: CACHE, upper: written({ a: '1' }), only: undefined }], alone);

  it.each([
    ['half merged by a killed process', () => writeFileSync(join(folder, 'merging'), '999999999 1')],
    ['of another version', () => writeFileSync(join(folder, 'state.json'), '{"version":2,"root":"/","units":{}}')],
    ['no JSON', () => writeFileSync(join(folder, 'state.json'), '{')],
  ])('%s: is not seen, and deleted by the next command', async (_, damage) => {
    await fill();
    damage();
    expect(open().layerOf(CACHE)).toBeUndefined();
    await open().keep([{ path: '/other', upper: written({ b: '1' }), only: undefined }], alone);
    expect(open().units()).toMatchObject([{ path: '/other' }]);
    expect(readdirSync(join(folder, 'trees'))).toHaveLength(1);
  });

  it('is seen while a living process merges', async () => {
    await fill();
    writeFileSync(join(folder, 'merging'), processIdentity());
    expect(open().layerOf(CACHE)).toBeDefined();
  });

  it('of a project that was deleted or not used for a month, is deleted', async () => {
    await fill();
    await removeUnused(dirname(folder), 'another');
    expect(existsSync(folder)).toBe(true);
    await removeUnused(dirname(folder), 'another', Date.now() + 40 * 24 * 60 * 60 * 1000);
    expect(existsSync(folder)).toBe(false);
  });
});

it('is deleted by a person', async () => {
  const layers = open();
  await layers.keep([{ path: CACHE, upper: written({ a: '1' }), only: undefined }], alone);
  await layers.clear();
  expect([layers.units(), existsSync(folder)]).toEqual([[], false]);
});
