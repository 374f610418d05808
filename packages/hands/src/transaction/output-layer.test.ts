import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OpaqueMarks } from '../sandbox/layers/merge-layer.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { liveOutputs } from './live-outputs.ts';
import { keepOutputs } from './output-layer.ts';
import { readState, statePath } from './output-state.ts';

const NO_MARKS: OpaqueMarks = { has: async () => false, set: async () => true };
const endsWith = (error: Error): OpaqueMarks => ({ ...NO_MARKS, has: async () => await failing(error) });
const failing = async (error: Error): Promise<never> => {
  throw error;
};

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-output-'));
  const [root, areas] = [join(folder, 'root'), join(folder, 'areas')];
  mkdirSync(root);
  const confinement = new HandleConfinement(root);
  let copies = 0;
  /** Keeps what a command wrote on a copy that began now. */
  const keep = async (files: readonly string[], { marks = NO_MARKS, startedAt = BigInt(Date.now()) * 1_000_000n } = {}) => {
    const upper = join(folder, `copy${(copies += 1)}`);
    for (const file of files) {
      mkdirSync(join(upper, file, '..'), { recursive: true });
      writeFileSync(join(upper, file), file);
    }
    const paths = [...new Set(files.map((file) => file.split('/')[0] ?? ''))];
    const parts = { areas, confinement, marks, signal: new AbortController().signal };
    return await keepOutputs(parts, { area: { upper }, startedAt, command: 'build' }, paths);
  };
  const live = (marks: OpaqueMarks = NO_MARKS) => liveOutputs({ areas, confinement, marks, alone: async (work) => await work() });
  return {
    areas,
    folder,
    root,
    keep,
    live,
    shown: async () => {
      const layers = await live().open(new AbortController().signal);
      for (const { below } of layers) below[Symbol.dispose]();
      return layers.map(({ path, layer }) => [path, readdirSync(layer).toSorted()]);
    },
    [Symbol.dispose]: () => {
      confinement[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

it('gives up what was merged in part, and keeps the rest', async () => {
  using at = open();
  await at.keep(['dist/a', 'build/a']);
  const error = new DOMException('The operation was aborted.', 'AbortError');
  await expect(at.keep(['dist/b', 'build/b'], { marks: endsWith(error) })).rejects.toBe(error);
  expect(readState(at.areas)).toMatchObject({ folders: [{ path: 'build' }] });
  expect(readState(at.areas)?.merging).toBeUndefined();
  expect(await at.shown()).toEqual([['build', ['a']]]);
  expect(await at.keep(['dist/c'])).toMatchObject({ added: ['dist'], lost: [] });
});

it('forgets all if nothing is left', async () => {
  using at = open();
  await at.keep(['dist/a']);
  await expect(at.keep(['dist/b'], { marks: endsWith(new TypeError('x')) })).rejects.toThrow('x');
  expect(readState(at.areas)).toBeUndefined();
  expect(await at.shown()).toEqual([]);
});

it('does not take the empty folder that a mount needs for a change by a person, nor for a change of what is shown', async () => {
  using at = open();
  await at.keep(['dist/a']);
  const startedAt = 1n;
  utimesSync(statePath(at.areas), 1000, 1000);
  expect(await at.shown()).toEqual([['dist', ['a']]]);
  expect([readdirSync(join(at.root, 'dist')), statSync(statePath(at.areas)).mtimeMs]).toEqual([[], 1_000_000]);
  for (const file of ['dist/b', 'dist/c']) expect(await at.keep([file], { startedAt })).toMatchObject({ lost: [] });
  expect(await at.shown()).toEqual([['dist', ['a', 'b', 'c']]]);
  writeFileSync(join(at.root, 'dist/person'), 'x');
  expect(await at.keep(['dist/d'], { startedAt })).toMatchObject({ lost: [{ path: 'dist', why: 'something else changed it meanwhile' }] });
});

it('says of a live command what it gave up as it took too long', async () => {
  using at = open();
  await at.keep(['dist/a']);
  const upper = join(at.folder, 'upper');
  mkdirSync(upper);
  writeFileSync(join(upper, 'b'), 'b');
  const source = liveOutputs({
    areas: at.areas,
    confinement: new HandleConfinement(at.root),
    marks: NO_MARKS,
    alone: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    mergeMs: 1,
  });
  const above = join(at.folder, 'above');
  mkdirSync(above);
  expect(await source.keep([{ path: 'dist', upper }], above, 'build')).toEqual(['Build output was not kept: dist (it took too long).']);
});
