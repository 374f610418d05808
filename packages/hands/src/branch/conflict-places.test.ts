import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlaceSide } from './branch-conflict.ts';
import { conflictPlaces, markConflicts, mergePlaces } from './conflict-places.ts';
import { mergeLines } from './merge-lines.ts';

const BASE = Array.from({ length: 20 }, (_, index) => `${index}\n`);
/** `place` is what the base, the branch and the workspace have, with the number of their first line. */
const short = (base: string[], branch: string[], workspace: string[]) =>
  conflictPlaces(base, branch, workspace)?.map(({ both, ...place }) => [
    both,
    ...[place.base, place.branch, place.workspace].map(({ line, lines }) => `${line}:${lines.join('').replaceAll('\n', ' ')}`),
  ]);

describe('places of a conflict', () => {
  it.each([
    ['one side', BASE.with(3, 'b\n'), BASE, [[false, '4:3 ', '4:b ', '4:3 ']]],
    ['the same line', BASE.with(3, 'b\n'), BASE.with(3, 'w\n'), [[true, '4:3 ', '4:b ', '4:w ']]],
    ['the same change', BASE.with(3, 'b\n'), BASE.with(3, 'b\n'), [[false, '4:3 ', '4:b ', '4:b ']]],
    ['lines beside each other', BASE.with(3, 'b\n'), BASE.with(4, 'w\n'), [[true, '4:3 4 ', '4:b 4 ', '4:3 w ']]],
    [
      'lines apart, of which the later ones move',
      BASE.toSpliced(2, 1, 'b\n', 'c\n'),
      BASE.toSpliced(10, 2),
      [
        [false, '3:2 ', '3:b c ', '3:2 '],
        [false, '11:10 11 ', '12:10 11 ', '11:'],
      ],
    ],
    [
      'a deleted file',
      [],
      BASE.with(0, 'w\n'),
      [[true, `1:${BASE.join('').replaceAll('\n', ' ')}`, '1:', `1:${BASE.with(0, 'w\n').join('').replaceAll('\n', ' ')}`]],
    ],
    ['nothing', BASE, BASE, []],
  ])('are found: %s', (_, branch, workspace, expected) => {
    expect(short(BASE, branch, workspace)).toEqual(expected);
  });

  it('have the lines around them, which belong to no other place', () => {
    const [first, second] = conflictPlaces(BASE, BASE.with(3, 'b\n').with(5, 'c\n'), BASE.with(3, 'w\n')) ?? [];
    expect([first?.before, first?.after, second?.before, second?.after]).toEqual([BASE.slice(0, 3), ['4\n'], ['4\n'], BASE.slice(6, 9)]);
  });

  it('are marked where both sides changed the same', () => {
    const [branch, workspace] = [BASE.with(3, 'b\n').with(10, 'c\n'), BASE.with(3, 'w\n').with(15, 'x\n')];
    const marked = markConflicts(BASE, conflictPlaces(BASE, branch, workspace) ?? []);
    expect(marked).toBe(BASE.with(10, 'c\n').with(15, 'x\n').with(3, '<<<<<<< workspace\nw\n||||||| base\n3\n=======\nb\n>>>>>>> branch\n').join(''));
    const places = conflictPlaces(['a'], ['b'], ['c']) ?? [];
    expect(markConflicts(['a'], places)).toBe('<<<<<<< workspace\nc\n||||||| base\na\n=======\nb\n>>>>>>> branch\n');
  });

  it.each<readonly [PlaceSide, PlaceSide, string, string]>([
    ['branch', 'workspace', 'b\n', 'y\n'],
    ['workspace', 'branch', 'w\n', 'x\n'],
    ['both', 'both', 'w\nb\n', 'y\nx\n'],
  ])('are merged with the chosen sides, here %s and %s, and what each side changed alone', (first, second, at3, at15) => {
    const [branch, workspace] = [BASE.with(3, 'b\n').with(10, 'c\n').with(15, 'x\n'), BASE.with(0, 'p\n').with(3, 'w\n').with(15, 'y\n')];
    const merged = mergePlaces(BASE, conflictPlaces(BASE, branch, workspace) ?? [], [first, second]);
    expect(merged).toBe(BASE.with(0, 'p\n').with(3, at3).with(10, 'c\n').with(15, at15).join(''));
  });

  it('begin lines of their own also where a side has no line break at its end', () => {
    expect(mergePlaces(['a'], conflictPlaces(['a'], ['b'], ['c']) ?? [], ['both'])).toBe('c\nb');
  });

  it('make each version again, and are all one-sided where the lines can be merged', () => {
    const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 20 });
    fc.assert(
      fc.property(lines, lines, lines, (base, branch, workspace) => {
        const places = conflictPlaces(base, branch, workspace) ?? [];
        for (const [side, all] of [
          ['branch', branch],
          ['workspace', workspace],
        ] as const) {
          const made: string[] = [];
          let position = 0;
          for (const place of places) {
            made.push(...base.slice(position, place.base.line - 1));
            expect(made.length + 1).toBe(place[side].line);
            made.push(...place[side].lines);
            position = place.base.line - 1 + place.base.lines.length;
          }
          expect([...made, ...base.slice(position)]).toEqual(all);
        }
        const merged = mergeLines(base, branch, workspace);
        if (merged !== undefined) expect(markConflicts(base, places)).toBe(merged.join(''));
        // Where only one side changed anything, any choice is that side.
        expect(mergePlaces(base, conflictPlaces(base, branch, base) ?? [], [])).toBe(branch.join(''));
        expect(mergePlaces(base, conflictPlaces(base, base, workspace) ?? [], [])).toBe(workspace.join(''));
      }),
      { numRuns: 1_000 },
    );
  });
});
