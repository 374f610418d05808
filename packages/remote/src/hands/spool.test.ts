import { readdirSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProgressBatches } from './progress-batches.ts';
import { Spools } from './spool.ts';

const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'synapse-spool-'));
const textOf = (spools: Spools, id: string): string => Buffer.from(spools.read(id, 0, 1_000).bytes).toString('utf8');

it('deletes the oldest output of ended calls beyond a limit, and none of a running one', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder, 100);
  for (const id of ['running', 'a', 'b', 'c']) {
    expect(spools.append(id, id.padEnd(30, 'x'))).toBe(0);
    expect(spools.append(id, 'ä'.repeat(10))).toBe(30);
    if (id !== 'running') spools.end(id);
  }
  spools.end('quiet');
  expect(['running', 'a', 'b', 'c', 'quiet'].map((id) => textOf(spools, id).slice(0, 3))).toEqual(['run', '⟨Th', 'bxx', 'cxx', '']);
  spools.end('running');
  const files = (): string[] => readdirSync(folder).filter((name) => !name.endsWith('.deleted'));
  expect(files()).toHaveLength(2);
  expect(textOf(spools, 'running')).toBe('running'.padEnd(30, 'x') + 'ä'.repeat(10));
  // What an earlier process left counts, too.
  expect(textOf(new Spools(folder, 100), 'running')).not.toBe('');
  expect(files()).toHaveLength(2);
  const smaller = new Spools(folder, 10);
  expect(files()).toEqual([]);
  const told = /^⟨This output was deleted: .* The result of the call has its end\.⟩\n$/u;
  expect(textOf(smaller, 'running')).toMatch(told);
  expect(textOf(new Spools(folder, 10), 'running')).toMatch(told);
});

it('tells at any offset that output was deleted, until another call has the same id or a week is over', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder, 10);
  spools.append('a', 'x'.repeat(1_000));
  spools.end('a');
  const whole = spools.read('a', 0, 1_000);
  const { bytes, total } = spools.read('a', 500, 1_000);
  expect([Buffer.from(bytes).toString('utf8'), total]).toEqual([Buffer.from(whole.bytes).toString('utf8'), 500 + bytes.length]);
  expect(whole.total).toBe(whole.bytes.length);
  spools.append('a', 'new');
  spools.end('a');
  expect([textOf(spools, 'a'), readdirSync(folder)]).toEqual(['new', [expect.not.stringContaining('.deleted')]]);
  spools.append('b', 'x'.repeat(1_000));
  spools.end('b');
  spools.forget(Date.now() + 86_400_000);
  expect(readdirSync(folder)).toEqual([]);
});

it('replaces what an earlier call with the same id left, and counts it once', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder, 100);
  spools.append('other', 'kept');
  spools.end('other');
  for (let count = 0; count < 10; count += 1) {
    expect(spools.append('1', `${count}`.repeat(30))).toBe(0);
    spools.end('1');
  }
  expect([textOf(spools, 'other'), textOf(spools, '1')]).toEqual(['kept', '9'.repeat(30)]);
});

it('forgets output from before a time', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder);
  spools.append('a', 'text');
  spools.end('a');
  spools.forget(Date.now() - 86_400_000);
  expect(textOf(spools, 'a')).toBe('text');
  spools.forget(Date.now() + 86_400_000);
  expect({ text: textOf(spools, 'a'), files: readdirSync(folder) }).toEqual({ text: '', files: [] });
});

it('keeps each character of the output, wherever it is divided', async () => {
  const spools = new Spools(await freshFolder());
  const pieces: string[] = [];
  const batches = new ProgressBatches((data) => {
    pieces.push(data);
    spools.append('a', data);
  });
  // Each character takes two UTF-16 units, and the odd one in front moves all borders into a character.
  const output = `x${'\u{1F600}'.repeat(40_000)}`;
  batches.add({ output });
  batches.add({ output: '\uD83D' });
  batches.flush();
  batches.add({ output: '\uDE00' });
  batches.end();
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  const whole = `${output}\u{1F600}`;
  expect(Buffer.from(spools.read('a', 0, 200_000).bytes).toString('utf8') === whole).toBe(true);
});

it('sends nothing of a call that has ended', () => {
  const pieces: string[] = [];
  const batches = new ProgressBatches((data) => pieces.push(data));
  batches.add({ output: 'a' });
  batches.end();
  batches.add({ output: 'b' });
  batches.flush();
  expect(pieces).toEqual(['a']);
});

it('takes the same memory for much output as for little', async () => {
  const folder = await freshFolder();
  const spools = new Spools(folder);
  const piece = 'line after line\n'.repeat(1_024);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 2_048; count += 1) {
    spools.append('a', piece);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  spools.end('a');
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).size)).toEqual([2_048 * piece.length]);
  expect(most).toBeLessThan(1_048_576);
});
