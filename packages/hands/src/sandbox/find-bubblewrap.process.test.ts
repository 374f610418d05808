import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBubblewrap } from './find-bubblewrap.ts';

it.runIf(process.platform === 'linux')('asks a program for its version once, and again after an update', async () => {
  const program = join(mkdtempSync(join(tmpdir(), 'synapse-bwrap-')), 'bwrap');
  const asked = `${program}.asked`;
  const install = (version: string): void =>
    writeFileSync(program, `#!/bin/sh\necho x >> '${asked}'\necho 'bubblewrap ${version}'\n`, { mode: 0o755 });
  install('0.11.0');
  const first = await findBubblewrap(program);
  expect(first).toEqual({ program, version: '0.11.0', followsLinks: true, usable: true });
  writeFileSync(asked, '');
  expect(await findBubblewrap(program)).toEqual(first);
  expect(readFileSync(asked, 'utf8')).toBe('');
  install('0.12.10');
  expect(await findBubblewrap(program)).toMatchObject({ version: '0.12.10', followsLinks: false });
  expect(readFileSync(asked, 'utf8')).toBe('x\n');
});

it('finds none where none is, or where it cannot run', async () => {
  const program = join(mkdtempSync(join(tmpdir(), 'synapse-bwrap-')), 'bwrap');
  expect(await findBubblewrap(program)).toBeUndefined();
  writeFileSync(program, '', { mode: 0o644 });
  expect(await findBubblewrap(program)).toBeUndefined();
});
