import { describe, expect, it } from 'vitest';
import { activeAreas, recentChanges, type Change } from './active-areas.ts';

const DAY = 86_400_000;
const change = (id: string, daysAgo: number | undefined, ...paths: string[]): Change => ({
  id,
  time: daysAgo === undefined ? undefined : 1e12 - daysAgo * DAY,
  paths,
});
const folders = (changes: readonly Change[]): string[] => activeAreas(recentChanges(changes)).map(({ folder }) => folder);

describe('activeAreas', () => {
  it('goes down to the folder that holds most of the work', () => {
    const [area, ...rest] = activeAreas([
      change('a', 0, 'packages/hands/src/git/status.ts', 'packages/hands/src/git/log.ts'),
      change('b', 1, 'packages/hands/src/git/status.ts'),
      change('c', 2, 'docs/x.md'),
    ]);
    expect(area).toMatchObject({
      folder: 'packages/hands/src/git',
      changes: ['a', 'b'],
      files: [
        { path: 'packages/hands/src/git/status.ts', changes: 2 },
        { path: 'packages/hands/src/git/log.ts', changes: 1 },
      ],
    });
    expect(rest.map(({ folder }) => folder)).toEqual(['docs']);
  });

  it('counts the newest changes only, so that recent work outweighs an old year', () => {
    const old = Array.from({ length: 60 }, (_, index) => change(`old${index}`, 300 + index, 'legacy/x.ts'));
    const fresh = Array.from({ length: 16 }, (_, index) => change(`new${index}`, index, `fresh/${index}.ts`));
    expect(folders([...fresh, ...old])).toEqual(['fresh', 'legacy']);
  });

  it('puts the largest share first, also where a folder further down is named', () => {
    const changes = [
      ...Array.from({ length: 11 }, (_, index) => change(`p${index}`, 0, index < 9 ? 'protection/lib/x.rb' : `protection/${index}.md`)),
      ...Array.from({ length: 10 }, (_, index) => change(`t${index}`, 1, `test/${index}.rb`)),
      ...Array.from({ length: 9 }, (_, index) => change(`d${index}`, 2, `docs/${index}.md`)),
    ];
    const areas = activeAreas(recentChanges(changes));
    expect(areas.map(({ folder }) => folder)).toEqual(['protection', 'test', 'docs']);
    expect(areas.map(({ share }) => share)).toEqual(areas.map(({ share }) => share).toSorted((a, b) => b - a));
  });

  it('does not let a sweep through all files outweigh daily work', () => {
    const sweep = change('sweep', 0, ...Array.from({ length: 1_000 }, (_, index) => `generated/${index}.ts`));
    const work = Array.from({ length: 6 }, (_, index) => change(`w${index}`, 1, `core/${index}.ts`));
    expect(folders([sweep, ...work])[0]).toBe('core');
  });

  it('takes no notice of files that others change', () => {
    expect(folders([change('a', 0, 'package-lock.json', 'x/dist/a.js', 'a.min.js', 'CHANGES.rst'), change('b', 1, 'src/a.ts')])).toEqual(['src']);
  });

  it('names the top folder where loose files are the work, and its share is theirs alone', () => {
    const areas = activeAreas([change('a', 0, 'README.md'), change('b', 0, 'main.c'), change('c', 0, 'src/x.c')]);
    expect(areas.map(({ folder }) => folder)).toEqual(['', 'src']);
    expect(areas.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('gives what is left around an area its own share, and counts a change to several areas for each', () => {
    const areas = activeAreas([change('a', 0, 'p/a/1', 'q/1'), change('b', 0, 'p/a/2'), change('c', 0, 'p/a/3'), change('d', 0, 'p/1')]);
    expect(areas.map(({ folder, share }) => [folder, share])).toEqual([
      ['p/a', 0.75],
      ['q', 0.25],
      ['p', 0.25],
    ]);
  });

  it('tells the folders inside', () => {
    const [area] = activeAreas([change('a', 0, 'src/a/1.ts'), change('b', 0, 'src/b/1.ts'), change('c', 0, 'src/c/1.ts')]);
    expect(area?.folder).toBe('src');
    expect(area?.inside.map(({ folder }) => folder)).toEqual(['src/a', 'src/b', 'src/c']);
  });

  it.each([
    ['no changes', []],
    ['changes without files', [change('a', 0)]],
    ['only generated files', [change('a', 0, 'yarn.lock')]],
  ])('finds nothing in %s', (_name, changes) => {
    expect(activeAreas(recentChanges(changes))).toEqual([]);
  });

  it('does without dates', () => {
    expect(folders([change('a', undefined, 'x/a'), change('b', undefined, 'y/b')])[0]).toBe('x');
  });
});
