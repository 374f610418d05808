import { SynapseError } from '@synapse/protocol';
import { fullId, nearestIds } from '../text/known-id.ts';
import type { JournalDatabase, JournalEntry } from './journal-database.ts';

/** Selects the calls to undo. Default: the last call that changed something and was not undone. */
export interface UndoSelection {
  /** The id of one call, which may be an undo. */
  readonly call?: string;
  /** Selects every call of a session that was not undone. */
  readonly session?: string;
  /** The number of last calls that changed something; only calls of the session if one is given. */
  readonly last?: number;
}

/** Completes shortened ids. Each must begin the id of only one call or session. */
export function completeIds<Selection extends Pick<UndoSelection, 'call' | 'session'>>(database: JournalDatabase, selection: Selection): Selection {
  const { call, session } = selection;
  return {
    ...selection,
    ...(call === undefined ? {} : { call: fullId(call, database.idsBeginning('call', call), 'call') }),
    ...(session === undefined ? {} : { session: fullId(session, database.idsBeginning('session', session), 'session') }),
  };
}

/** Suggests the ids nearest to an unknown one; empty for a known one. */
function didYouMean(database: JournalDatabase, column: 'call' | 'session', id: string): string {
  const known = database.idsBeginning(column, '');
  const near = known.includes(id) ? [] : nearestIds(id, known);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : '';
}

/** Returns the changes of one call, including undone ones. */
export function entriesOfCall(database: JournalDatabase, call: string): JournalEntry[] {
  const entries = database.done({ call });
  if (entries.length === 0) {
    throw new SynapseError(
      'not_found',
      `No call with the id ${call.slice(0, 64)} changed anything in this workspace, or its changes are no longer kept.`,
      {
        hint: `${didYouMean(database, 'call', call)}The beginning of an id is enough. synapse log shows the ids of calls, and synapse changes what can be undone.`,
      },
    );
  }
  return entries;
}

function ofOneCall(database: JournalDatabase, call: string): JournalEntry[] {
  const entries = entriesOfCall(database, call);
  const left = entries.filter(({ undone_by: by }) => by === null);
  if (left.length > 0) return left;
  throw new SynapseError('conflict', `The call ${call.slice(0, 64)} was undone already, by ${entries[0]?.undone_by ?? 'another'}.`, {
    hint: 'To have it again, undo that call.',
  });
}

/** Returns the selected entries, newest first. */
export function selectEntries(database: JournalDatabase, { call, session, last }: UndoSelection): JournalEntry[] {
  if (call !== undefined) return ofOneCall(database, call);
  const calls = database.standingCalls(session, last ?? (session === undefined ? 1 : undefined));
  if (calls.length === 0) {
    throw new SynapseError('not_found', 'Nothing to undo.', {
      hint:
        session === undefined
          ? 'No call changed a file in this workspace, or all were undone.'
          : `${didYouMean(database, 'session', session)}No call of that session changed a file, or all were undone.`,
    });
  }
  return calls
    .flatMap((one) => database.done({ call: one, ...(session === undefined ? {} : { session }) }))
    .filter(({ undone_by: by, undoes }) => by === null && undoes.length === 0)
    .toSorted((a, b) => b.id - a.id);
}
