import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';
import type { TwoSearches } from './two-searches.ts';

/** Number of files that races change. */
const FILES = 200;
/** Changes in a row until the index is complete again: it is rebuilt at a distance, and ripgrep answers meanwhile. */
const ROUND = 500;

/** What races came to. */
export interface Races {
  /** Searches right after a change, of which each has exactly one right answer. */
  races: number;
  /** Those that the index answered alone. */
  native: number;
  /** Searches that ran while something changed. */
  during: number;
  readonly stale: string[];
}

/** Changes files and searches right after it, without a turn of the event loop between: what was written is found, and what was there is not. */
export async function raceSearches(
  root: string,
  { indexed, untilIndexed }: TwoSearches,
  random: Random,
  most: number,
  until = (): boolean => false,
): Promise<Races> {
  const count: Races = { races: 0, native: 0, during: 0, stale: [] };
  mkdirSync(join(root, 'races'), { recursive: true });
  /** The words of each file. */
  const held = new Map<string, readonly string[]>();
  const find = async (pattern: string): Promise<string> => {
    const { matches } = await indexed.text({ pattern, literal: true });
    return matches.map(({ path }) => path).join(' ');
  };
  const expectPaths = async (word: string, paths: string, what: string): Promise<void> => {
    const before = indexed.runs;
    const found = await find(word);
    count.races += 1;
    if (indexed.runs === before) count.native += 1;
    if (found !== paths) count.stale.push(`${what}: ${word} was to be in "${paths}" and was found in "${found}"`);
  };
  for (let turn = 0; count.races < most && count.stale.length < 3 && !until(); turn += 1) {
    if (turn % ROUND === 0) await untilIndexed();
    const path = `races/f${random.below(FILES)}.ts`;
    const other = `races/f${random.below(FILES)}.ts`;
    const word = `raced${turn}word`;
    const [old, ...more] = held.get(path) ?? [];
    const during = random.isIn(10) ? find(word) : undefined;
    const kind = random.below(100);
    if (kind < 40) {
      writeFileSync(join(root, path), `const a = 1;\n// ${word}\n`);
      held.set(path, [word]);
      await expectPaths(word, path, `write ${turn}`);
      for (const gone of [old, ...more]) if (gone !== undefined) await expectPaths(gone, '', `overwrite ${turn}`);
    } else if (kind < 65) {
      appendFileSync(join(root, path), `// ${word}\n`);
      held.set(path, [...(held.get(path) ?? []), word]);
      await expectPaths(word, path, `append ${turn}`);
    } else if (kind < 82 && old !== undefined && other !== path) {
      const lost = held.get(other) ?? [];
      renameSync(join(root, path), join(root, other));
      held.set(other, held.get(path) ?? []);
      held.delete(path);
      await expectPaths(old, other, `move ${turn}`);
      for (const gone of lost) await expectPaths(gone, '', `move over ${turn}`);
    } else if (old !== undefined) {
      rmSync(join(root, path));
      held.delete(path);
      await expectPaths(old, '', `delete ${turn}`);
    }
    if (during === undefined) continue;
    // It began before the change and may have either answer, but no other.
    const found = await during;
    count.during += 1;
    if (found !== '' && found !== path) count.stale.push(`during ${turn}: ${word} was found in "${found}"`);
  }
  return count;
}
