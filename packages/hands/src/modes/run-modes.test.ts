import { expect, it } from 'vitest';
import { RUN_MODES, type RunMode } from './run-modes.ts';

const MODES = Object.keys(RUN_MODES) as RunMode[];

it.each(MODES)('%s: what it says fits together', (mode) => {
  const { workspace, after, undo, protected: kept, caches, outputs } = RUN_MODES[mode];
  // Undo covers what is judged as changes of a copy, and nothing else.
  if (undo === 'covered') expect(after).toBe('changes');
  if (undo === 'not covered') expect(workspace).toBe('itself');
  // What may write in the workspace itself finds other programs' files closed, and is swept after.
  expect(kept === 'mounted read-only').toBe(workspace === 'itself');
  expect(after === 'new files').toBe(workspace === 'itself');
  expect(after === 'changes').toBe(workspace === 'copy');
  expect(outputs === 'in the copy').toBe(workspace === 'copy');
  // What only reads leaves nothing, in caches either.
  if (workspace === 'read-only') expect({ undo, after }).toEqual({ undo: 'nothing to undo', after: 'nothing' });
  if (workspace === 'read-only') expect(caches).not.toBe('kept');
});

it('gives a dry run no network and no lasting effect', () => {
  expect(RUN_MODES['try']).toMatchObject({ network: 'none', caches: 'dropped', undo: 'nothing to undo' });
});
