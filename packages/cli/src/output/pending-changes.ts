import { type PendingChanges, type ShownEffect } from '@synapse/hands';
import { count, describeTrial, knownId } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { Output } from './output.ts';
import { visibleText } from './visible-text.ts';

/** Maximum lines of diffs before the question; `--json` prints all. */
const MAX_LINES = 400;
const MAX_COMMAND = 60;

/** A row for pending changes, with their handle. */
export function pendingRow({ handle, time, command, files, why }: PendingChanges): string[] {
  const line = visibleText(command.replaceAll(/\s+/gu, ' ').trim());
  const short = line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND).toWellFormed()}…` : line;
  return [handle, time.slice(0, 16).replace('T', ' '), count(files, 'file'), short, visibleText(why)];
}

/** Finds pending changes by their handle or its beginning. @throws SynapseError `not_found`; `conflict` if it begins several */
export function pendingOf(all: readonly PendingChanges[], handle: string): PendingChanges {
  const handles = all.map((one) => one.handle);
  const meant = knownId(handle, handles, { what: 'pending change', list: 'synapse changes pending lists what waits.' });
  const found = all.find((one) => one.handle === meant);
  if (found === undefined) throw new SynapseError('internal', 'The pending changes are gone.');
  return found;
}

const STYLES = { plain: undefined, added: 'green', removed: 'red' } as const;

/** Shows a part of a diff. */
export function tellDiff(to: Output, diff: string): void {
  for (const line of diff.replace(/\n$/u, '').split('\n')) {
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'plain';
    to.write(`  ${visibleText(line.replaceAll('\r', '␍'))}\n`, STYLES[kind]);
  }
}

/** Shows changes as diffs. */
export function tellEffect(to: Output, effect: ShownEffect): void {
  const { meaning, changes, notes } = describeTrial({ fingerprint: '', effect, output: '', completion: 'ok' });
  for (const sentence of meaning) to.write(`  It ${sentence}.\n`, 'bold');
  for (const { kind, text } of changes.slice(0, MAX_LINES)) to.write(`  ${text}\n`, STYLES[kind]);
  if (changes.length > MAX_LINES) to.write(`  … ${changes.length - MAX_LINES} more lines; --json has all\n`, 'yellow');
  for (const note of notes) to.write(`  ${note}\n`, 'yellow');
}
