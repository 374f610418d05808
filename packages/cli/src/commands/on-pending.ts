import { type PendingChanges, type ShownEffect } from '@synapse/hands';
import { describeTrial } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { Output } from '../output/output.ts';
import { visibleText } from '../output/visible-text.ts';

/** Maximum lines of diffs before the question; `--json` prints all. */
const MAX_LINES = 400;
const MAX_COMMAND = 60;

/** A row for pending changes, with their handle. */
export function pendingRow({ handle, time, command, files, why }: PendingChanges): string[] {
  const line = visibleText(command.replaceAll(/\s+/gu, ' ').trim());
  const short = line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND).toWellFormed()}…` : line;
  return [handle, time.slice(0, 16).replace('T', ' '), `${files} ${files === 1 ? 'file' : 'files'}`, short, visibleText(why)];
}

/** Finds pending changes by handle. @throws SynapseError `not_found` */
export function pendingOf(all: readonly PendingChanges[], handle: string): PendingChanges {
  const found = all.find((one) => one.handle === handle);
  if (found !== undefined) return found;
  throw new SynapseError('not_found', `No pending changes have the handle ${JSON.stringify(handle)}.`, {
    hint: 'synapse changes pending lists them.',
  });
}

const STYLES = { plain: undefined, added: 'green', removed: 'red' } as const;

/** Shows changes as diffs. */
export function tellEffect(to: Output, effect: ShownEffect): void {
  const { meaning, changes, notes } = describeTrial({ fingerprint: '', effect, output: '', completion: 'ok' });
  for (const sentence of meaning) to.write(`  It ${sentence}.\n`, 'bold');
  for (const { kind, text } of changes.slice(0, MAX_LINES)) to.write(`  ${text}\n`, STYLES[kind]);
  if (changes.length > MAX_LINES) to.write(`  … ${changes.length - MAX_LINES} more lines; --json has all\n`, 'yellow');
  for (const note of notes) to.write(`  ${note}\n`, 'yellow');
}
