import { mkdtemp } from 'node:fs/promises';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeOddTree } from '../testing/odd-tree.ts';
import { writePlainTree } from '../testing/plain-tree.ts';
import { Random } from '../testing/random.ts';
import { type Count, change, difference, Questions } from '../testing/search-questions.ts';
import { raceSearches, withoutBarrier } from '../testing/search-races.ts';
import { twoSearches } from '../testing/two-searches.ts';

/** Number of searches of each kind of tree. */
const RUNS = Number(process.env['RUNS'] ?? 60);
const SEED = Number(process.env['SEED'] ?? 1 + (process.pid % 10_000));

async function oddFolder(): Promise<string> {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), 'synapse-answers-')));
  await writeOddTree(folder);
  return folder;
}

function plainFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-answers-')));
  writePlainTree(folder);
  return folder;
}

describe(`answers by the index are those of ripgrep (SEED=${SEED} RUNS=${RUNS})`, () => {
  it('in an odd tree', { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const root = await oddFolder();
    await using searches = await twoSearches(root);
    const questions = new Questions(root, random);
    const count: Count = { asked: 0, native: 0, cut: 0 };
    const differences: unknown[] = [];
    for (let run = 0; run < RUNS && differences.length < 3; run += 1) {
      if (run % 500 === 0) await searches.untilIndexed();
      const found = await difference(questions, random, searches, count);
      if (found !== undefined) differences.push(found);
    }
    process.stdout.write(`an odd tree: ${JSON.stringify(count)}\n`);
    expect(differences).toEqual([]);
    expect(count.native).toBeGreaterThan(RUNS / 10);
  });

  it('in a tree that keeps changing', { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const root = await oddFolder();
    await using searches = await twoSearches(root);
    const count: Count = { asked: 0, native: 0, cut: 0 };
    let changes: string[] = [];
    const differences: unknown[] = [];
    for (let run = 0; run < RUNS && differences.length < 3; run += 1) {
      if (run % 5 === 0) {
        changes = [];
        await searches.untilIndexed();
      }
      const questions = new Questions(root, random);
      if (random.isIn(60)) changes.push(await change(root, questions, random));
      const found = await difference(questions, random, searches, count);
      if (found !== undefined) differences.push({ changes, found });
    }
    process.stdout.write(`changing: ${JSON.stringify(count)}\n`);
    expect(differences).toEqual([]);
  });

  it('right after each change', { timeout: 3_600_000 }, async () => {
    const root = await oddFolder();
    await using searches = await twoSearches(root);
    const { stale, ...count } = await raceSearches(root, searches, new Random(SEED), RUNS);
    process.stdout.write(`races: ${JSON.stringify(count)}\n`);
    expect(stale).toEqual([]);
    expect(count.races + count.versions).toBeGreaterThanOrEqual(RUNS);
  });

  it('right after each change, by the index alone', { timeout: 3_600_000 }, async () => {
    const root = plainFolder();
    await using searches = await twoSearches(root);
    const { stale, ...count } = await raceSearches(root, searches, new Random(SEED), 5 * RUNS);
    process.stdout.write(`races by the index: ${JSON.stringify(count)}\n`);
    expect(stale).toEqual([]);
    expect(count.runs).toBeLessThan(count.races);
  });

  it('and stale answers are noticed where no search waits for earlier changes', { timeout: 3_600_000 }, async () => {
    const root = plainFolder();
    await using searches = await twoSearches(root);
    const { stale } = await withoutBarrier(async () => await raceSearches(root, searches, new Random(SEED), 5_000));
    expect(stale).not.toEqual([]);
  });
});
