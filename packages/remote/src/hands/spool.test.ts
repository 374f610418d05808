import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Spools } from './spool.ts';

const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'synapse-spool-'));
const textOf = (spools: Spools, id: string): string => Buffer.from(spools.read(id, 0, 1_000).bytes).toString('utf8');

it('deletes the oldest output of ended calls beyond a limit, and none of a running one', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder, Date.now(), 100);
  for (const id of ['running', 'a', 'b', 'c']) {
    expect(spools.append(id, id.padEnd(30, 'x'))).toBe(0);
    expect(spools.append(id, 'ä'.repeat(10))).toBe(30);
    if (id !== 'running') spools.end(id);
  }
  spools.end('quiet');
  expect(['running', 'a', 'b', 'c'].map((id) => textOf(spools, id).slice(0, 3))).toEqual(['run', '', 'bxx', 'cxx']);
  spools.end('running');
  expect(readdirSync(folder)).toHaveLength(2);
  expect(textOf(spools, 'running')).toBe('running'.padEnd(30, 'x') + 'ä'.repeat(10));
  // What an earlier process left counts, too.
  expect(textOf(new Spools(folder, Date.now(), 100), 'running')).not.toBe('');
  expect(readdirSync(folder)).toHaveLength(2);
  expect(new Spools(folder, Date.now(), 10)).toBeDefined();
  expect(readdirSync(folder)).toEqual([]);
});

it('forgets output after a week', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder);
  spools.append('a', 'text');
  spools.end('a');
  spools.forget(Date.now() + 6 * 86_400_000);
  expect(textOf(spools, 'a')).toBe('text');
  spools.forget(Date.now() + 8 * 86_400_000);
  expect({ text: textOf(spools, 'a'), files: readdirSync(folder) }).toEqual({ text: '', files: [] });
});
