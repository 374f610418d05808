// `npm run soak -- search FOLDER… [--queries N] [--races N] [--seconds S] [--seed S]`: random queries of each folder, answered with the index
// and by ripgrep, and searches that race with changes of files. Prints what differs.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeOddTree } from './odd-tree.ts';
import { writePlainTree } from './plain-tree.ts';
import { Random } from './random.ts';
import { type Count, difference, Questions } from './search-questions.ts';
import { raceSearches, withoutBarrier } from './search-races.ts';
import { twoSearches } from './two-searches.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queries: { type: 'string' }, races: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const [queries, races, seconds] = [Number(values.queries ?? 10_000), Number(values.races ?? 100_000), Number(values.seconds ?? Infinity)];
const seed = Number(values.seed ?? 1 + (process.pid % 10_000));
const endsAt = performance.now() + seconds * 1_000;
const isOver = (): boolean => performance.now() > endsAt;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(`seed ${seed}`);
for (const folder of positionals) {
  const random = new Random(seed);
  const root = realpathSync(folder);
  await using searches = await twoSearches(root);
  const questions = new Questions(root, random);
  const count: Count = { asked: 0, native: 0, cut: 0 };
  const differences: unknown[] = [];
  for (let query = 0; query < queries && differences.length < 3 && !isOver(); query += 1) {
    if (query % 500 === 0) await searches.untilIndexed();
    if (query > 0 && query % 1_000 === 0) say(`${folder}: ${JSON.stringify({ ...count, differences: differences.length })}`);
    const found = await difference(questions, random, searches, count);
    if (found !== undefined) differences.push(found);
  }
  say(`${folder}: ${JSON.stringify({ ...count, differences: differences.length })}`);
  for (const one of differences) say(JSON.stringify(one).slice(0, 4_000));
  if (differences.length > 0) process.exitCode = 1;
}

/** Races in a tree made for it; the first are a control, in which no search waits for earlier changes. */
async function race(what: string, most: number, write: (folder: string) => Promise<void> | void, isControl = false): Promise<void> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-races-')));
  try {
    await write(scratch);
    await using searches = await twoSearches(scratch);
    const work = async (): ReturnType<typeof raceSearches> => await raceSearches(scratch, searches, new Random(seed), most, isOver);
    const { stale, ...count } = await (isControl ? withoutBarrier(work) : work());
    say(`races, ${what}: ${JSON.stringify({ ...count, stale: stale.length })}`);
    if (isControl === stale.length > 0) return;
    for (const one of stale) say(one.slice(0, 1_000));
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (races > 0 && !isOver()) {
  await race('control: no search waits for earlier changes, and stale answers are noticed', races, writePlainTree, true);
  await race('in a tree of odd files, which ripgrep searches', Math.ceil(races / 50), writeOddTree);
  await race('in a plain tree', races, writePlainTree);
}
