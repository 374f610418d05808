// `npm run soak -- search FOLDER… [--queries N] [--races N] [--seconds S] [--seed S]`: random queries of each folder, answered with the index
// and by ripgrep, and searches that race with changes of files. Prints what differs.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeOddTree } from './odd-tree.ts';
import { Random } from './random.ts';
import { type Count, difference, Questions } from './search-questions.ts';
import { raceSearches } from './search-races.ts';
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
    const found = await difference(questions, random, searches, count);
    if (found !== undefined) differences.push(found);
  }
  say(`${folder}: ${JSON.stringify({ ...count, differences: differences.length })}`);
  for (const one of differences) say(JSON.stringify(one).slice(0, 4_000));
  if (differences.length > 0) process.exitCode = 1;
}
if (races > 0 && !isOver()) {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-races-')));
  await writeOddTree(scratch);
  await using searches = await twoSearches(scratch);
  const { stale, ...count } = await raceSearches(scratch, searches, new Random(seed), races, isOver);
  say(`races: ${JSON.stringify({ ...count, stale: stale.length })}`);
  for (const one of stale) say(one);
  if (stale.length > 0) process.exitCode = 1;
  rmSync(scratch, { recursive: true, force: true });
}
