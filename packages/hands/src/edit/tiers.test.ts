import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, identityView, rewrite } from './tiers.ts';

describe('rewrite', () => {
  const base = identityView('ab  \r\ncd');
  const view = rewrite(base, [
    { start: 2, end: 4, text: '' },
    { start: 4, end: 6, text: '\n' },
    { start: 7, end: 8, text: 'xyz' },
  ]);

  it.each<[number, number | undefined, number | undefined]>([
    [0, 0, 0],
    [2, 2, 4],
    [3, 6, 6],
    [4, 7, 7],
    [5, undefined, undefined],
    [6, undefined, undefined],
    [7, 8, 8],
  ])('maps place %i of the view back to %s or %s', (position, before, after) => {
    expect(view.text).toBe('ab\ncxyz');
    expect(view.toSource(position, 'before')).toBe(before);
    expect(view.toSource(position, 'after')).toBe(after);
  });

  it.each<[number, number, number]>([
    [1, 1, 1],
    [2, 2, 2],
    [3, 2, 2],
    [4, 2, 2],
    [5, 2, 3],
    [6, 3, 3],
    [7, 4, 4],
    [8, 7, 7],
  ])('maps place %i of the source to %i or %i', (position, before, after) => {
    expect(view.fromSource(position, 'before')).toBe(before);
    expect(view.fromSource(position, 'after')).toBe(after);
  });

  it('is the same view where nothing changes', () => {
    expect(rewrite(base, [])).toBe(base);
  });

  it('maps places between changes to the same character, through two views', () => {
    const changes = (text: string, seed: readonly number[]): Change[] => {
      const found: Change[] = [];
      let position = 0;
      for (const number of seed) {
        const start = position + (number % 4);
        const end = start + ((number >> 2) % 3);
        if (end > text.length) break;
        found.push({ start, end, text: '#'.repeat((number >> 4) % 3) });
        position = end;
      }
      return found;
    };
    const seeds = fc.array(fc.nat({ max: 63 }));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{0,40}$/u), seeds, seeds, (text, first, second) => {
        const middle = rewrite(identityView(text), changes(text, first));
        const outer = rewrite(middle, changes(middle.text, second));
        for (let position = 0; position < outer.text.length; position += 1) {
          if (outer.text[position] === '#') continue;
          const place = outer.toSource(position, 'after');
          expect(text[place ?? -1]).toBe(outer.text[position]);
          expect(outer.fromSource(place ?? -1, 'before')).toBeLessThanOrEqual(position);
        }
      }),
    );
  });
});
