import { SynapseError } from '@synapse/protocol';
import { callsBeginning, queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import type { JournalDatabase, JournalEntry } from '../journal/journal-database.ts';
import { knownId } from '../text/known-id.ts';

/** Before or after a call. */
export type Side = 'before' | 'after';

/** A moment in the history of a workspace. */
export interface Moment {
  readonly call: string;
  readonly side: Side;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** What calls changed since, newest first. */
  readonly since: readonly JournalEntry[];
  /** The commands since then whose changes are not recorded. */
  readonly uncovered: readonly string[];
}

/** Where the records of a workspace are. */
export interface Records {
  readonly stateFolder: string;
  readonly root: string;
  readonly database: JournalDatabase;
}

/** Maximum number of calls before one that are looked at for a change. Further back, the clock decides. */
const MAX_EARLIER = 500;

/** The call that an id or its beginning means. */
function callMeant({ stateFolder, root, database }: Records, given: string): string {
  const known = new Set([...database.idsBeginning('call', given), ...callsBeginning(stateFolder, root, given)]);
  return knownId(given, [...known], { what: 'call', list: 'synapse log shows the ids of calls.' });
}

/** When a call began, or ended; undefined while it runs. */
function timeOf({ start, end }: AuditedCall, side: Side): number | undefined {
  if (side === 'before') return Date.parse(start.time);
  return end === undefined ? undefined : Date.parse(end.time);
}

/**
 * Refuses a moment from which on the journal is not whole: it keeps changes for a time and up to a size.
 *
 * @param later the calls since then, newest first
 */
function assertKept(call: string, later: readonly AuditedCall[], kept: ReadonlySet<string>): void {
  const changedFiles = ({ call: one, start, end }: AuditedCall): boolean =>
    start.dry_run !== true && start.parent === undefined && end?.undo !== 'not covered' && (end?.changes?.length ?? 0) > 0 && !kept.has(one);
  const lost = later.findIndex(changedFiles);
  if (lost === -1) return;
  const oldest = later[lost - 1];
  throw new SynapseError('not_found', `The undo journal does not reach back to the call ${call.slice(0, 64)}.`, {
    hint: oldest === undefined ? 'No earlier moment can be shown.' : `It reaches back to the call ${oldest.call}, of ${oldest.time}.`,
  });
}

/** The first change of the oldest call that has one. @param calls newest first */
function firstOf(database: JournalDatabase, calls: readonly AuditedCall[]): number | undefined {
  for (const { call } of calls.toReversed()) {
    const ids = database.idsOf(call);
    if (ids !== undefined) return ids.first;
  }
  return undefined;
}

/**
 * The first change after a call that changed nothing itself: by the time, and between those of the calls around it in the log, because the clock
 * may have been set. Undefined if there is none.
 */
function firstAfter(database: JournalDatabase, time: number, later: readonly AuditedCall[], lastBefore: number | undefined): number | undefined {
  const byTime = database.firstSince(time) ?? Number.POSITIVE_INFINITY;
  const firstLater = firstOf(database, later) ?? Number.POSITIVE_INFINITY;
  const first = Math.min(Math.max(byTime, (lastBefore ?? 0) + 1), firstLater);
  return Number.isFinite(first) ? first : undefined;
}

/** Reads the log back to a call and, if that changed nothing, to the last change before it. */
function callsSince({ stateFolder, root, database }: Records, whole: string, hasChanged: boolean) {
  const later: AuditedCall[] = [];
  let itself: AuditedCall | undefined;
  /** The last change before a call that has none itself. */
  let lastBefore: number | undefined;
  let earlier = 0;
  for (const audited of queryAudit(stateFolder, root)) {
    if (itself === undefined && audited.call !== whole) later.push(audited);
    else if (itself === undefined) itself = audited;
    else {
      lastBefore = database.idsOf(audited.call)?.last;
      earlier += 1;
    }
    if (itself !== undefined && (hasChanged || lastBefore !== undefined || earlier >= MAX_EARLIER)) break;
  }
  return { later, itself, lastBefore };
}

/**
 * Finds the moment before or after a call, and what was changed since.
 *
 * @param call its id, or the beginning of it
 * @throws SynapseError `not_found` for an unknown call, and for one that the journal does not reach; `conflict` while it runs, or if it was
 * killed and what it changed is not settled yet
 */
export function findMoment(records: Records, call: string, side: Side): Moment {
  const { database } = records;
  const whole = callMeant(records, call);
  const own = database.idsOf(whole);
  const { later, itself, lastBefore } = callsSince(records, whole, own !== undefined);
  const time = itself === undefined ? database.timeOf(whole) : timeOf(itself, side);
  if (time === undefined)
    throw new SynapseError('conflict', `The call ${whole} has not ended.`, { hint: 'Ask for the moment before it, or wait until it ends.' });
  if (database.hasOpen())
    throw new SynapseError('conflict', 'A change is being made, or was interrupted.', {
      hint: 'Try again when it has ended. synapse changes settles one that was interrupted.',
    });
  const first = own === undefined ? firstAfter(database, time, later, lastBefore) : side === 'before' ? own.first : own.last + 1;
  const since = first === undefined ? [] : database.since(first);
  // The call itself is taken back too for the moment before it.
  const taken = itself === undefined || side === 'after' ? later : [...later, itself];
  assertKept(whole, taken, new Set(database.idsBeginning('call', '')));
  const uncovered = taken.filter(({ end }) => end?.undo === 'not covered').map((one) => one.call);
  return { call: whole, side, time, since, uncovered };
}
