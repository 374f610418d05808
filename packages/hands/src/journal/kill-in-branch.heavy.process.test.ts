import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { BranchStore } from '../branch/branch-store.ts';
import { holdBranch, type HeldBranch } from '../branch/hold-branch.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';
import { FileLocks } from '../workspace/file-lock.ts';

/** Moments at which each change is killed; `POINTS=1000` for all. */
const POINTS = Number(process.env['POINTS'] ?? 2);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** All that changes the disk. */
const CALLS = ['renameSync', 'linkSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'rmSync', 'chmodSync', 'writeSync', 'copyFileSync'];

/** Kills its process at one of the moments at which the disk changes. Prints their names, and what is in the workspace. */
const script = (options: object, work: string, point: number): string => `
  import fs, { writeSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const calls = [];
  let armed = false;
  for (const name of ${JSON.stringify(CALLS)}) {
    const original = fs[name];
    fs[name] = (...given) => {
      if (armed && calls.push(name) === ${point}) process.kill(process.pid, 'SIGKILL');
      return original(...given);
    };
  }
  syncBuiltinESMExports();
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const { readTree } = await import(${sourceUrl('testing/read-tree.ts')});
  const options = ${JSON.stringify(options)};
  const hands = await createHands(options);
  armed = true;
  const result = await (${work});
  armed = false;
  if (!result.ok) throw new Error(result.error.message);
  writeSync(1, JSON.stringify({ calls, tree: readTree(options.workspace) }));`;

const Said = z.object({ calls: z.array(z.string()), tree: z.record(z.string(), z.string()) });

async function setUp() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-kill-')));
  const [workspace, stateFolder] = [join(base, 'workspace'), join(base, 'state')];
  for (const folder of ['d/e/f', 'd/g', 'empty']) mkdirSync(join(workspace, folder), { recursive: true });
  for (const path of ['d/a', 'd/b', 'd/e/c', 'd/e/f/d', 'd/g/h']) writeFileSync(join(workspace, path), path);
  const { folder, record } = await new BranchStore(stateFolder, workspace).create('one');
  const held = await holdBranch(folder, record, {
    stateFolder,
    locks: new FileLocks(join(stateFolder, 'locks')),
    signal: AbortSignal.timeout(60_000),
  });
  const options = { workspace, stateFolder, allow: ['write', 'exec'], undoCommands: true };
  /** Undefined where it was killed. */
  const run = (work: string, point = -1): z.infer<typeof Said> | undefined => inBranch(held, script(options, work, point), workspace);
  return { run, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

function inBranch(held: HeldBranch, text: string, folder: string): z.infer<typeof Said> | undefined {
  const [program, ...words] = held.enter([process.execPath, ...SCRIPT_OPTIONS, text], folder);
  try {
    return Said.parse(JSON.parse(execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })));
  } catch (error) {
    if (error instanceof Error && 'signal' in error && error.signal === 'SIGKILL') return undefined;
    throw error;
  }
}

const call = (command: string): string => `hands.call('run_command', { command: ${JSON.stringify(command)} })`;
const LOOK = `hands.call('create_directory', { path: 'other' })`;
const DELETE = 'rm -r d empty';
const REPLACE = 'rm -r d && mkdir d && echo new > d/new';

// The kernel renames no folder that the layer below has, so the folder is deleted where it is, after a copy of it took its place outside.
it.skipIf((await findBubblewrap()) === undefined).each([
  ['deleted', undefined, call(DELETE)],
  ['replaced', undefined, call(REPLACE)],
  ['put back', call(DELETE), 'hands.undo()'],
])(`leaves no folder of the workspace half %s in a branch, whenever it is killed (seed ${seed})`, { timeout: 240_000 }, async (_, first, work) => {
  const prepare = async () => {
    const place = await setUp();
    const before = place.run(first ?? `hands.call('list_directory', { path: '.' })`)?.tree;
    return { ...place, before, [Symbol.dispose]: () => place[Symbol.dispose]() };
  };
  using whole = await prepare();
  const made = whole.run(work);
  const moments = made?.calls ?? [];
  const deletions = moments.flatMap((name, at) => (['unlinkSync', 'rmdirSync', 'renameSync'].includes(name) ? [at + 1] : []));
  expect(deletions.length).toBeGreaterThan(3);
  for (let index = 0; index < Math.min(POINTS, deletions.length); index += 1) {
    const point = deletions[(seed + Math.floor((index * deletions.length) / Math.min(POINTS, deletions.length))) % deletions.length];
    using place = await prepare();
    const why = `killed at ${point} of ${moments.join(' ')}`;
    expect(place.run(work, point), why).toBeUndefined();
    const { other, ...now } = place.run(LOOK)?.tree ?? {};
    expect(other, why).toBeDefined();
    expect(now, why).toEqual(JSON.stringify(now) === JSON.stringify(made?.tree) ? made?.tree : place.before);
  }
});
