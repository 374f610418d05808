import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { arbitraryStep } from '../testing/branch-model/arbitrary-step.ts';
import { PATHS } from '../testing/branch-model/content.ts';
import { World } from '../testing/branch-model/world.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Steps in all of each kind; `STEPS=100000` for a long run. */
const STEPS = Number(process.env['STEPS'] ?? 240);
/** Lines of a file: enough for changes that are far from each other. */
const LINES = 20;
/** Steps in one workspace. */
const LENGTH = 80;
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Of calls, in short runs: other seeds are for long ones, after which there is time to look. */
const SEED_OF_CALLS = 27;

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/** @param all whether the second folder exists, too */
async function world(all: boolean): Promise<World> {
  const lines = Array.from({ length: LINES - 1 }, (_, index) => `line ${index}\n`).join('');
  const bench = await temporaryHands(Object.fromEntries(PATHS.filter((at) => all || !at.startsWith('f/')).map((at) => [at, `${at}\n${lines}`])), {
    allow: [],
    approver: YES,
  });
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
  it.each([
    ['changes of programs', false],
    ['calls and what takes them back', true],
  ] as const)(
    'lose no update, make no file from elsewhere, and keep the repository whole: %s',
    { timeout: 120_000 + STEPS * 5_000 },
    async (what, withCalls) => {
      const used = withCalls && process.env['SEED'] === undefined ? SEED_OF_CALLS : seed;
      const length = Math.min(LENGTH, STEPS);
      const figures: Record<string, number> = { steps: 0 };
      const count = (key: string, more: number): void => void (figures[key] = (figures[key] ?? 0) + more);
      await fc.assert(
        fc.asyncProperty(fc.array(arbitraryStep(LINES, withCalls), { minLength: length, maxLength: length }), async (all) => {
          await using one = await world(!withCalls);
          for (const next of all) await one.run(next);
          count('steps', all.length);
          for (const [key, more] of Object.entries(one.figures)) count(key, more);
        }),
        { seed: used, numRuns: Math.ceil(STEPS / length), endOnFailure: true },
      );
      process.stdout.write(`branches, seed ${used}, ${what}: ${JSON.stringify(figures)}\n`);
      expect(figures['steps']).toBeGreaterThanOrEqual(STEPS);
      if (STEPS >= 240)
        expect(figures).toMatchObject({ applied: expect.toSatisfy((n: number) => n > 0), conflicts: expect.toSatisfy((n: number) => n > 0) });
    },
  );
});
