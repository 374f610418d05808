import type { Journal } from './journal.ts';
import { netChanges } from './net-changes.ts';

/** Milliseconds that count as recent if no session is given: one day. */
const RECENT_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns the existing files that calls changed and that were not reverted. Direct changes by commands are in
 * no journal.
 *
 * @param session undefined for all calls of the last day
 */
export function changedFiles({ database }: Journal, session: string | undefined): string[] {
  const since = session === undefined ? Date.now() - RECENT_MS : 0;
  const entries = database
    .done(session === undefined ? {} : { session })
    .filter(({ undone_by: by, undoes, time }) => by === null && undoes.length === 0 && time >= since);
  return netChanges(entries.toReversed()).flatMap(({ path, after }) =>
    after === null || (after !== undefined && after.type !== 'file') ? [] : [path],
  );
}
