import { posix } from 'node:path';
import type { Package } from '../../scripts/layers.ts';

/** An import, of types or values, static or dynamic. Paths are relative to a package's `src`. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Sources by path, relative to a package's `src`. */
export type Sources = ReadonlyMap<string, string>;

const IMPORTS = /(?:\bfrom|\bimport|\bimport\(|new URL\()\s*'(\.[^']+)'/gu;

/** Returns every import between these sources. */
export function importsIn(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) =>
    [...text.matchAll(IMPORTS)]
      .map(([, target = '']) => ({ from, to: posix.join(posix.dirname(from), target) }))
      .filter(({ to }) => sources.has(to) && to !== from),
  );
}

/** Returns the folder or file directly in `src` that a file belongs to. */
const entryOf = (file: string): string => file.split('/')[0] ?? file;

/** Returns problems between the entries of a package: imports that do not lead down, unlisted entries, missing entries. */
export function layerProblems(sources: Sources, { layers }: Pick<Package, 'layers'>): string[] {
  const layerOf = new Map(layers.flatMap((entries, layer) => entries.map(([name]) => [name, layer] as const)));
  const found = new Set([...sources.keys()].map(entryOf));
  const missing = [...found].filter((entry) => !layerOf.has(entry)).map((entry) => `${entry} is in no layer of scripts/layers.ts`);
  const gone = [...layerOf.keys()].filter((entry) => !found.has(entry)).map((entry) => `${entry} is in scripts/layers.ts and not there`);
  const wrong = importsIn(sources).filter(({ from, to }) => {
    const [upper, lower] = [layerOf.get(entryOf(from)), layerOf.get(entryOf(to))];
    return entryOf(from) !== entryOf(to) && upper !== undefined && lower !== undefined && lower <= upper;
  });
  return [...missing, ...gone, ...wrong.map(({ from, to }) => `${from} imports ${to}, which is not below it`)];
}

/**
 * Returns the import cycles among the files and subfolders of each folder; files in a subfolder count as that subfolder.
 * One shortest cycle per folder.
 */
export function cycles(sources: Sources): string[] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of importsIn(sources)) {
    const [left, right] = [from.split('/'), to.split('/')];
    const depth = left.findIndex((name, index) => name !== right[index]);
    const entry = (path: readonly string[]): string => path.slice(0, depth + 1).join('/');
    const folder = left.slice(0, depth).join('/');
    const level = levels.get(folder) ?? new Map<string, Set<string>>();
    levels.set(folder, level.set(entry(left), (level.get(entry(left)) ?? new Set()).add(entry(right))));
  }
  return [...levels.values()].flatMap((level) => shortestCycle(level) ?? []);
}

/** Returns a shortest cycle; undefined if there is none. */
function shortestCycle(level: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  let shortest: readonly string[] | undefined;
  for (const start of level.keys()) {
    const ways: string[][] = [[start]];
    const seen = new Set<string>();
    for (const way of ways) {
      if (shortest !== undefined && way.length + 1 >= shortest.length) break;
      const next = level.get(way.at(-1) ?? '') ?? new Set<string>();
      if (next.has(start)) shortest = [...way, start];
      for (const place of next) {
        if (seen.has(place)) continue;
        seen.add(place);
        ways.push([...way, place]);
      }
    }
  }
  return shortest?.join(' → ');
}
