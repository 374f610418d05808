import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FolderWatches } from '../workspace-index/folder-watches.ts';
import { RaceLane } from './race-lane.ts';
import { Random } from './random.ts';
import type { TwoSearches } from './two-searches.ts';
import { VERSIONED, VersionedFiles } from './versioned-files.ts';

/** Number of lanes that change files and search, all at the same time. */
const LANES = 12;
/** Number of searches that are always under way for files that a thread changes. */
const WATCHERS = 4;
/** Number of searches of a round, after changes of contents, which the index answers, or of names, at which ripgrep looks until it has walked. */
const ROUND = { contents: 1_800, names: 200 };
/** Stale answers after which races end. */
const ENOUGH = 3;

/** What races came to. */
export interface Races {
  /** Searches right after a change, of which each has exactly one right answer. */
  races: number;
  /** Searches while a thread changed files: each has an answer between what was there before its call and after its end. */
  versions: number;
  /** Searches that began right before a change. */
  during: number;
  /** Runs of ripgrep, to search or to walk. */
  runs: number;
  readonly stale: string[];
}

/**
 * Changes files and searches right after it, without a turn of the event loop between: what was written is found, and what was there is not.
 * Many such searches run at once, and a thread changes other files meanwhile.
 */
export async function raceSearches(root: string, searches: TwoSearches, random: Random, most: number, until = (): boolean => false): Promise<Races> {
  const { indexed } = searches;
  const count: Races = { races: 0, versions: 0, during: 0, runs: 0, stale: [] };
  const isOver = (): boolean => count.races + count.versions >= most || count.stale.length >= ENOUGH || until();
  const folder = join(root, 'races');
  mkdirSync(folder, { recursive: true });
  const outside = mkdtempSync(`${root}-outside-`);
  const find = async (pattern: string) => await indexed.text({ pattern, literal: true, limit: 100_000 });
  const paths = async (word: string): Promise<string> => (await find(word)).matches.map(({ path }) => path).join(' ');

  const expectPaths = async (word: string, expected: string, what: string): Promise<void> => {
    const found = await paths(word);
    count.races += 1;
    if (found !== expected) count.stale.push(`${what}: ${word} was to be in "${expected}" and was found in "${found}"`);
  };

  const race = async (lane: RaceLane, choice: Random, what: 'contents' | 'names', isDone: () => boolean): Promise<void> => {
    for (let turn = 1; !isDone(); turn += 1) {
      const word = lane.nextWord;
      const during = choice.isIn(10) ? paths(word) : undefined;
      const expected = lane.change(what);
      await Promise.all(expected.map(async ([one, path]) => await expectPaths(one, path, `turn ${turn}`)));
      if (during === undefined) continue;
      // It began before the change and may have either answer, but no other.
      const [found, path] = [await during, expected.find(([one]) => one === word)?.[1] ?? ''];
      count.during += 1;
      if (found !== '' && found !== path) count.stale.push(`during turn ${turn}: ${word} was found in "${found}"`);
    }
  };

  const watch = async (files: VersionedFiles, choice: Random, isDone: () => boolean): Promise<void> => {
    while (!isDone()) {
      const number = choice.below(VERSIONED);
      const before = files.written(number);
      const { matches, changed } = await find(`version${number}of`);
      const after = files.written(number) + 1;
      const found = matches.map(({ text }) => Number(text.split(' ')[1]));
      count.versions += 1;
      const [last = Number.NaN] = found.slice(-1);
      const isWhole = number % 2 === 0 ? found.length === 1 : found.every((version, at) => version === at + 1);
      // A line that was found and is no longer there is left out, and counted.
      const isReplaced = found.length === 0 && changed === 1 && after > before + 1;
      if (!isReplaced && !(isWhole && last >= before && last <= after))
        count.stale.push(`version of ${number}: ${before} to ${after} was expected, and ${found.slice(-3).join(' ')} was found`);
    }
  };

  try {
    const lanes = Array.from({ length: LANES }, (_, number) => new RaceLane(root, outside, number, new Random(1 + random.below(1e9))));
    await using files = await VersionedFiles.start(folder, outside);
    await searches.untilIndexed();
    const runs = indexed.runs;
    for (let round = 0; !isOver(); round += 1) {
      const what = round % 2 === 0 ? 'contents' : 'names';
      // Until new names are known, ripgrep looks at them.
      if (what === 'contents') await searches.untilIndexed();
      const end = count.races + count.versions + ROUND[what];
      const isDone = (): boolean => isOver() || count.races + count.versions >= end;
      const choice = (): Random => new Random(1 + random.below(1e9));
      const watching = Array.from({ length: WATCHERS }, async () => await watch(files, choice(), isDone));
      await Promise.all([...lanes.map(async (lane) => await race(lane, choice(), what, isDone)), ...watching]);
    }
    count.runs = indexed.runs - runs;
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
  return count;
}

/** Runs something while no search waits for the events of earlier changes. For a control: races must notice. */
export async function withoutBarrier<T>(work: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(FolderWatches.prototype, 'barrier') ?? {};
  Object.defineProperty(FolderWatches.prototype, 'barrier', { ...own, value: async () => true });
  try {
    return await work();
  } finally {
    Object.defineProperty(FolderWatches.prototype, 'barrier', own);
  }
}
