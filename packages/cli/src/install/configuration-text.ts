import { indexLines, unifiedDiff, type SingleFile } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { changeBetween } from './revert.ts';

/** The text of a file; empty for a missing one. */
export function textOf({ bytes, path }: SingleFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new SynapseError('encoding', `${path} is not UTF-8, so it cannot be changed safely. Nothing was changed.`, { hint: 'Save it as UTF-8.' });
  }
}

/** The difference between two texts, as a diff. */
export function diffOf(before: string, after: string): string {
  const { offset, removed, inserted } = changeBetween(before, after);
  return unifiedDiff(before, indexLines(before), [{ start: offset, end: offset + removed.length, text: inserted }]);
}
