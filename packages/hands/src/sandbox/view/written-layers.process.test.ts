import { expect, it } from 'vitest';
import { keepWritten } from './written-layers.ts';

const WRITTEN = {
  version: 1,
  command: 'cargo build',
  caches: [{ path: '/home/a/.cache/x', place: '0' }],
  outputs: [{ path: 'target', place: '1' }],
} as const;

it('says each thing that was not kept, and keeps the rest', async () => {
  const full = (): Promise<never> => Promise.reject(new Error('no space left on device'));
  const keep = (): Promise<string[]> => Promise.resolve(['/home/a/.cache/x: it is too large']);
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
    'A cache was not kept for later commands: /home/a/.cache/x: it is too large.',
    'Build output was not kept: no space left on device.',
  ]);
  expect(await notes(full, () => Promise.resolve([]))).toEqual(['Caches were not kept for later commands: no space left on device.']);
});
