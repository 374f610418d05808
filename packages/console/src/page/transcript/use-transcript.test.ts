import type { ConsoleEntry } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { mergePart } from './use-transcript.ts';

const note = (n: number, text = `${n}`): ConsoleEntry => ({ kind: 'note', n, text });
const frame = { first: 0, last: 9, revision: 3 };

it('replaces what changed, keeps the rest as it is, and drops what is outside of the part', () => {
  const before = mergePart(undefined, { ...frame, from: 0, to: 3, entries: [note(0), note(1), note(2)] });
  const after = mergePart(before, { ...frame, from: 1, to: 4, entries: [note(2, 'new'), note(3)] });
  expect(after.entries).toEqual([note(1), note(2, 'new'), note(3)]);
  expect(after.entries[0]).toBe(before.entries[1]);
});
