import { lstatSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { secondsOf } from './file-seconds.ts';

it('sets the first time that Node can express and that is not earlier', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-seconds-'));
  try {
    for (let index = 0n; index < 500n; index += 1n) {
      const wanted = 1_000_000_000_000_000_000n + index * 3_518_437_208_883_177n;
      utimesSync(folder, 1, secondsOf(wanted));
      const off = lstatSync(folder, { bigint: true }).mtimeNs - wanted;
      expect(off >= 0n && off < 600n, `${wanted}: ${off}`).toBe(true);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
