import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../byte-name.ts';
import type { OpenFile } from '../open-file.ts';
import type { Target } from '../target.ts';
import type { FileChange } from './change.ts';

/** Takes secrets out of a text, as it is done with every text that a call returns. */
export type Masks = (text: string) => string;

/** Runs of asterisks that may stand for a secret: none is shorter. */
const RUNS = /\*{8,}/gu;

/** Maximum bytes of a file that are searched for secrets: no larger file is edited, and no model gives back a text of this size. */
const MAX_READ_BYTES = 10 * 1024 * 1024;

/** How often a text has runs of each length. */
function runsOf(text: string): Map<number, number> {
  const runs = new Map<number, number>();
  for (const [run] of text.matchAll(RUNS)) runs.set(run.length, (runs.get(run.length) ?? 0) + 1);
  return runs;
}

/**
 * Finds the line of a new text that has the mask of a secret in it, as it was shown, where the file has the secret itself.
 *
 * @param before what the file has
 * @param shown the same, as it is shown
 * @returns the number of the line; undefined if no mask is written
 */
export function maskedLine(before: string, shown: string, after: string): number | undefined {
  if (shown === before) return undefined;
  const [had, seen, has] = [runsOf(before), runsOf(shown), runsOf(after)];
  const isMask = (length: number): boolean => (seen.get(length) ?? 0) > (had.get(length) ?? 0) && (has.get(length) ?? 0) > (had.get(length) ?? 0);
  const known = new Set(before.split('\n'));
  const at = after.split('\n').findIndex((line) => !known.has(line) && line.match(RUNS)?.some(({ length }) => isMask(length)) === true);
  return at === -1 ? undefined : at + 1;
}

/** Refuses to write the mask of a secret in place of it: a model that has read a file gives back what it saw. */
export async function assertUnmasked(changes: readonly FileChange[], masks: Masks, open: (target: Target) => OpenFile | undefined): Promise<void> {
  for (const change of changes) {
    if (change.kind !== 'write') continue;
    const after = Buffer.from(change.bytes.buffer, change.bytes.byteOffset, change.bytes.byteLength).toString('utf8');
    // Nearly all texts have none, and then the file need not be read.
    if (after.search(RUNS) === -1) continue;
    const file = open(change.target);
    if (file === undefined) continue;
    const before = (await file.read(0, Math.min(file.size, MAX_READ_BYTES))).toString('utf8');
    const line = maskedLine(before, masks(before), after);
    if (line === undefined) continue;
    throw new SynapseError(
      'invalid_arguments',
      `Line ${line} of the new text of ${displayPath(change.target.location)} has asterisks where the file has a secret, which is masked in all results; nothing was changed.`,
      { hint: 'Leave that line as it is: change other lines with edit_file. A person can change it.' },
    );
  }
}
