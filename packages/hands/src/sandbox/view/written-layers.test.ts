import { expect, it } from 'vitest';
import type { LostPath } from '../../text/amounts.ts';
import { keepWritten } from './written-layers.ts';

const WRITTEN = {
  version: 1,
  command: 'cargo build',
  caches: [{ path: '/home/a/.cache/x', place: '0' }],
  outputs: [{ path: 'target', place: '1' }],
} as const;

const STATE = '/home/a/.local/state/synapse';
const failure = (code: string): Error => Object.assign(new Error(`${code}: failed, rename '${STATE}/layers/0' -> '${STATE}/caches'`), { code });

it('says each thing that was not kept, and keeps the rest', async () => {
  const full = (): Promise<never> => Promise.reject(failure('ENOSPC'));
  const keep = (): Promise<LostPath[]> => Promise.resolve([{ path: '/home/a/.cache/x', why: 'too large' }]);
  const notes = async (caches: typeof keep, outputs: () => Promise<readonly string[]>): Promise<readonly string[]> =>
    await keepWritten(
      '/layers',
      { ...WRITTEN, caches: [...WRITTEN.caches], outputs: [...WRITTEN.outputs] },
      {
        kept: { keep: caches },
        isAlone: () => true,
        keepOutputs: outputs,
      },
    );
  expect(await notes(keep, full)).toEqual([
    'A cache was not kept for later commands: /home/a/.cache/x (too large).',
    'Build output was not kept: the disk is full.',
  ]);
  expect(await notes(full, () => Promise.resolve([]))).toEqual(['Caches were not kept for later commands: the disk is full.']);
});

it('says one line for each reason, with the first three of many', async () => {
  const lost = Array.from({ length: 100 }, (_, index) => ({
    path: `/c/${index}`,
    why: index === 50 ? 'something else was kept there' : 'too large',
  }));
  const targets = { kept: { keep: () => Promise.resolve(lost) }, isAlone: () => true, keepOutputs: undefined };
  expect(await keepWritten('/layers', { ...WRITTEN, caches: [...WRITTEN.caches], outputs: [] }, targets)).toEqual([
    '99 caches were not kept for later commands: /c/0, /c/1, /c/2 and 96 more (too large).',
    'A cache was not kept for later commands: /c/50 (something else was kept there).',
  ]);
});

it.each([
  ['EACCES', failure('EACCES'), 'the system refused it: EACCES'],
  ['a timeout', new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'it took too long'],
  ['an unknown error', new Error(`${STATE} is odd`), 'it could not be moved'],
])('says no place of Synapse for %s', async (_, error, why) => {
  const fail = (): Promise<never> => Promise.reject(error);
  const targets = { kept: { keep: fail }, isAlone: () => true, keepOutputs: fail };
  expect(await keepWritten('/layers', { ...WRITTEN, caches: [...WRITTEN.caches], outputs: [...WRITTEN.outputs] }, targets)).toEqual([
    `Caches were not kept for later commands: ${why}.`,
    `Build output was not kept: ${why}.`,
  ]);
});
