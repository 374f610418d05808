import { expect, it } from 'vitest';
import { Random } from '../testing/random.ts';
import { PathNumbers } from './path-numbers.ts';

/** Paths with any byte, in latin1. */
function somePath(random: Random): string {
  const name = (): string => Array.from({ length: 1 + random.below(4) }, () => String.fromCodePoint(random.of([97, 98, 46, 255, 1, 10]))).join('');
  return Array.from({ length: 1 + random.below(3) }, name).join('/');
}

it('knows the same paths as a map, whatever comes and goes', () => {
  const random = new Random(7);
  const [paths, known] = [new PathNumbers(), new Map<string, number>()];
  const all: string[] = [];
  for (let turn = 0; turn < 40_000; turn += 1) {
    const path = somePath(random);
    const id = known.get(path);
    expect(paths.idOf(path)).toBe(id);
    if (id === undefined) {
      known.set(path, paths.add(path));
      all.push(path);
    } else if (random.isIn(50)) {
      paths.remove(id);
      known.delete(path);
    }
  }
  expect([paths.size, paths.end]).toEqual([known.size, all.length]);
  expect(all.map((_, id) => paths.pathOf(id))).toEqual(all);
  const ends = (path: string, ending: string): boolean => path.slice(path.lastIndexOf('/') + 1).endsWith(ending);
  for (const ending of ['a', '.b', 'ab.', '\u00FF'])
    expect(all.map((_, id) => paths.endsIn(id, ['nothing', ending]))).toEqual(all.map((path) => ends(path, ending)));
  for (const [path, id] of known) expect(paths.idOf(path)).toBe(id);
});

it('keeps more names than one block has room for, and long ones', () => {
  const paths = new PathNumbers();
  const given = Array.from({ length: 9_000 }, (_, id) => `folder${id % 7}/${'n'.repeat(id % 256)}${id}`);
  expect(given.map((path) => paths.add(path))).toEqual([...given.keys()]);
  expect(given.every((path, id) => paths.pathOf(id) === path && paths.idOf(path) === id)).toBe(true);
});
