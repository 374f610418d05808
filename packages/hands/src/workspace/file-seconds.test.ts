import { lstatSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nanosecondsOf, secondsOf } from './file-seconds.ts';

const TIMES = Array.from({ length: 500 }, (_, index) => 1_000_000_000_000_000_000n + BigInt(index) * 3_518_437_208_883_177n);

it.each([
  ['nanoseconds', 1n, 600n],
  ['microseconds', 1_000n, 2_000n],
])('is the first time that Node can express in %s and that is not earlier', (_, step, atMost) => {
  for (const wanted of TIMES) {
    const off = nanosecondsOf(secondsOf(wanted, step), step) - wanted;
    expect(off >= 0n && off < atMost, `${wanted}: ${off}`).toBe(true);
  }
});

it('is the time that a file gets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-seconds-'));
  try {
    for (const wanted of TIMES) {
      utimesSync(folder, 1, secondsOf(wanted));
      expect(lstatSync(folder, { bigint: true }).mtimeNs).toBe(nanosecondsOf(secondsOf(wanted)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
