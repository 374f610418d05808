import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { NAMES, PATHS, World, type Change, type Step, type Who } from '../testing/branch-world.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Steps in all; `STEPS=100000` for a long run. */
const STEPS = Number(process.env['STEPS'] ?? 240);
/** Lines of a file: enough for changes that are far from each other. */
const LINES = 20;
/** Steps in one workspace. */
const LENGTH = 80;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const [who, path, name] = [fc.constantFrom<Who>(...NAMES, 'person'), fc.constantFrom(...PATHS), fc.constantFrom(...NAMES)];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 48,
    arbitrary: fc.record({
      kind: fc.constantFrom<Change['kind']>('line', 'line', 'line', 'ends', 'ends', 'whole', 'binary', 'delete'),
      who,
      path,
      line: fc.nat({ max: LINES - 1 }),
      atomic: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('move' as const), who, path, to: path }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), who }) },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      name,
      path: fc.option(path, { nil: undefined, freq: 3 }),
      hunk: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), name }) },
);

async function world(): Promise<World> {
  const lines = Array.from({ length: LINES - 1 }, (_, index) => `line ${index}\n`).join('');
  const bench = await temporaryHands(Object.fromEntries(PATHS.map((at) => [at, `${at}\n${lines}`])));
  mkdirSync(bench.at('keep'));
  initRepository(bench.folder);
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
    ['gc.auto', '0'],
  ] as const)
    git(bench.folder, 'config', key, value);
  git(bench.folder, 'add', '-A');
  git(bench.folder, 'commit', '-qm', 'first');
  return new World(bench);
}

describe.skipIf((await findBubblewrap()) === undefined)(`branches, a workspace and a person (seed ${seed})`, () => {
  it('lose no update, make no file from elsewhere, and keep the repository whole', { timeout: 120_000 + STEPS * 1_000 }, async () => {
    const figures = { steps: 0, applied: 0, conflicts: 0, merged: 0, commits: 0, parts: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: LENGTH, maxLength: LENGTH }), async (steps) => {
        await using all = await world();
        for (const next of steps) await all.run(next);
        figures.steps += steps.length;
        for (const key of ['applied', 'conflicts', 'merged', 'commits', 'parts'] as const) figures[key] += all.figures[key];
      }),
      { seed, numRuns: Math.ceil(STEPS / LENGTH), endOnFailure: true },
    );
    process.stdout.write(`branches, seed ${seed}: ${JSON.stringify(figures)}\n`);
    expect(figures.applied).toBeGreaterThan(0);
    expect(figures.conflicts).toBeGreaterThan(0);
  });
});
