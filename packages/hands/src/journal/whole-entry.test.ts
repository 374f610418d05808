import { lstatSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { markApplied } from './kept-areas.ts';
import { appliedAt, markIn, stampLater } from './whole-entry.ts';

let areas: string;
beforeEach(() => (areas = mkdtempSync(join(tmpdir(), 'synapse-mark-'))));

describe('the time of an exchange', () => {
  // Again and again, because it depends on when the clock for file times ticks.
  it.each(Array.from({ length: 30 }, (_, turn) => turn))(
    'is after what was changed before, and before what is changed at once afterwards (%i)',
    async () => {
      mkdirSync(join(areas, 'area'));
      writeFileSync(join(areas, 'before'), 'x');
      markApplied(areas, 'area');
      await stampLater(markIn(areas, 'area'));
      writeFileSync(join(areas, 'after'), 'x');
      const since = appliedAt({ areas }, { swap: { area: 'area' } }) ?? expect.fail('There is no mark.');
      const [before, after] = ['before', 'after'].map((name) => lstatSync(join(areas, name), { bigint: true }).ctimeNs);
      expect(before).toBeLessThanOrEqual(since);
      expect(after).toBeGreaterThan(since);
    },
  );

  it('is unknown before it happened', () => {
    expect(appliedAt({ areas }, { swap: { area: 'none' } })).toBeUndefined();
  });
});
