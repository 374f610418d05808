import { SynapseError } from '@synapse/protocol';
import type { JournalDatabase, JournalEntry } from './journal-database.ts';

/** Which calls are meant. Without any of it: the last call that changed something and was not taken back. */
export interface UndoSelection {
  /** One call, by its id; also one that took others back. */
  readonly call?: string;
  /** Every call of a session that was not taken back. */
  readonly session?: string;
  /** The last so many calls that changed something; of the session, where one is named. */
  readonly last?: number;
}

/** What one call changed, also where it was undone. */
export function entriesOfCall(database: JournalDatabase, call: string): JournalEntry[] {
  const entries = database.done({ call });
  if (entries.length === 0) {
    throw new SynapseError('not_found', `The call ${call.slice(0, 64)} changed nothing in this workspace, or is not kept any more.`, {
      hint: 'synapse log shows the ids of calls, and synapse changes what can be undone.',
    });
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

/** The entries that a selection means, newest first. */
export function selectEntries(database: JournalDatabase, { call, session, last }: UndoSelection): JournalEntry[] {
  if (call !== undefined) return ofOneCall(database, call);
  const calls = database.standingCalls(session, last ?? (session === undefined ? 1 : undefined));
  if (calls.length === 0) {
    throw new SynapseError('not_found', 'There is nothing to undo.', {
      hint:
        session === undefined
          ? 'No call changed a file in this workspace, or all were undone.'
          : 'No call of that session changed a file, or all were undone.',
    });
  }
  return calls
    .flatMap((one) => database.done({ call: one, ...(session === undefined ? {} : { session }) }))
    .filter(({ undone_by: by, undoes }) => by === null && undoes.length === 0)
    .toSorted((a, b) => b.id - a.id);
}
