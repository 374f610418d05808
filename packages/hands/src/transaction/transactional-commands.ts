import { isSynapseError } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes, QuarantinedFile } from '../process/processes.ts';
import { count } from '../text/amounts.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import { systemRefusal } from '../workspace/file-error.ts';
import { repositoryOf } from './plan-changes.ts';
import type { AppliedChanges, Transaction, WithheldChange } from './transaction.ts';

/** Maximum withheld or conflicting paths listed in a result. */
const MAX_TOLD = 10;

/** What happened to the changes of a command. */
export type Settled =
  | { readonly kind: 'applied'; readonly applied: AppliedChanges }
  /** The changes wait for a person under a handle. */
  | { readonly kind: 'held'; readonly handle: string; readonly why: string }
  | { readonly kind: 'dropped'; readonly why: string };

/** Decides what happens to the changes of a command that ended by itself. */
export type Settle = (transaction: Transaction) => Promise<Settled>;

/** The state of a command, for its result. */
export interface CommandState {
  /** Whether its changes can be undone. */
  undo: 'covered' | 'not covered' | undefined;
  /** Set if the changes came from a copy. */
  appliedFrom: 'copy' | undefined;
  /** The handle of changes that wait for a person. */
  pending: string | undefined;
  /** What it deleted irreversibly, with sizes. */
  readonly tooLargeToUndo: readonly TooLargeToUndo[];
  readonly notes: string[];
}

/** Dependencies of {@link transactionalCommands}. */
export interface TransactionalParts {
  /** Runs a command in the workspace itself. */
  readonly live: Processes;
  /** Why commands cannot run as transactions here; undefined if they can. */
  readonly problem: () => Promise<string | undefined>;
  /** Runs a command as a transaction. */
  readonly open: (request: ProcessRequest) => Promise<Transaction>;
  readonly settle: Settle;
  readonly state: CommandState;
}

/** Applies whatever a command changed. */
export const applyAll: Settle = async (transaction) => ({ kind: 'applied', applied: await transaction.apply() });

/**
 * Runs commands as transactions: on a copy-on-write view, whose changes reach the workspace once they are judged,
 * as one change that can be undone. If that does not work, they run live, and the result says so.
 */
export function transactionalCommands(parts: TransactionalParts): Processes {
  const { live, state } = parts;
  return {
    async run(request) {
      // Checked before the run, not after a failure: a command must never run twice.
      const problem = await parts.problem();
      if (problem !== undefined) {
        state.notes.push(`What this command changed cannot be undone: ${problem}.`);
        return await live.run(request);
      }
      await using transaction = await parts.open(request);
      const seen = request.onEnd?.();
      state.undo = 'covered';
      return await settled(transaction, parts, seen);
    },
  };
}

/** @param seen resolves when nothing looks at the workspace as it was before */
async function settled(transaction: Transaction, { settle, state }: TransactionalParts, seen: Promise<void> | void): Promise<ProcessOutcome> {
  const { outcome, changes } = transaction;
  const isUnchanged = changes.changes.length === 0 && changes.withheld.length === 0 && changes.seenOutputs.length === 0;
  if (changes.unjudged !== undefined) {
    if (outcome.aborted && isUnchanged) {
      state.notes.push('It was ended before it had changed anything; the workspace is as it was.');
      return outcome;
    }
    const handle = (state.pending = await transaction.hold(changes.unjudged));
    state.notes.push(`The workspace is as it was. No changes were applied: ${changes.unjudged}. ${keptUnder(handle)}`);
    return outcome;
  }
  if (isUnchanged) {
    // Only folder times changed: a person need not see that, but `make` depends on it.
    if (changes.touched.length > 0) {
      await seen;
      await transaction.apply();
    }
    return outcome;
  }
  await seen;
  let end: Settled;
  try {
    end = await settle(transaction);
  } catch (error) {
    const why = problemOf(error);
    const handle = (state.pending = await transaction.hold(why));
    state.notes.push(`The workspace is as it was. No changes were applied. ${why} ${keptUnder(handle)}`);
    return outcome;
  }
  if (end.kind === 'held') state.notes.push(`The workspace is unchanged: ${end.why}. ${waitsUnder(end.handle)}`);
  if (end.kind === 'dropped') state.notes.push(`The workspace is unchanged: what it changed was dropped, as ${end.why}.`);
  if (end.kind !== 'applied') return outcome;
  tellApplied(transaction, end.applied, state);
  // First the leftovers of an earlier command, which were found before this one ran.
  return { ...outcome, quarantined: [...outcome.quarantined, ...transaction.changes.withheld.filter(isKept).map(quarantined)] };
}

/** Why changes were not applied, as a sentence. They are kept after any error: they are the only result of the command. */
function problemOf(error: unknown): string {
  if (isSynapseError(error))
    return error.code === 'denied' ? 'The system does not permit it: one of the places is closed to this user, or immutable.' : error.message;
  const refusal = systemRefusal(error);
  if (refusal === undefined) throw error;
  return refusal;
}

/** Existing entries go to the quarantine; a denied deletion is skipped. */
const isKept = ({ reason, isThere }: WithheldChange & { readonly isThere?: boolean }): boolean => reason !== 'special-file' && isThere !== false;
const quarantined = ({ path, reason, detail }: WithheldChange): QuarantinedFile => ({ path, reason, detail, action: 'moved' });

/** Says how to decide about changes, which no later command does by itself. */
function waitsUnder(handle: string): string {
  return `A person decides: synapse changes apply ${handle}, or synapse changes drop ${handle}.`;
}

function keptUnder(handle: string): string {
  return `A person finds it with: synapse changes pending ${handle}.`;
}

function tellApplied({ changes }: Transaction, { applied, conflicts, undo }: AppliedChanges, state: CommandState): void {
  if (applied > 0) state.appliedFrom = 'copy';
  if (undo !== true) state.undo = 'not covered';
  // If it is too large, it is reported with its size.
  if (undo !== true && state.tooLargeToUndo.length === 0) {
    state.notes.push(`What this command changed cannot be undone: ${undo}.`);
  }
  const { notes } = state;
  const tell = <T>(items: readonly T[], line: (item: T) => string): void => {
    for (const item of items.slice(0, MAX_TOLD)) notes.push(line(item));
    if (items.length > MAX_TOLD) notes.push(`And ${count(items.length - MAX_TOLD, 'more', 'more')} of these.`);
  };
  tell(
    changes.withheld.filter((one) => !isKept(one)),
    ({ path, detail }) => `Not kept of what it did: ${path} (${detail}).`,
  );
  const found = conflicts.map((one) => ({ ...one, repository: repositoryOf(one.path.split('/')) }));
  const files = found.filter(({ repository }) => repository === undefined);
  tell(files, ({ path, handle }) => `${path} was changed by something else while it ran, and stays as that left it. ${keptUnder(handle)}`);
  // Its files have a meaning together.
  const repositories = new Map(found.flatMap(({ repository, handle }) => (repository === undefined ? [] : [[repository, handle] as const])));
  for (const [repository, handle] of repositories)
    notes.push(
      `${repository} was changed by something else while it ran, and stays as that left it: no commit and no other change of it was applied. ${keptUnder(handle)}`,
    );
  tell(changes.cautions, (caution) => `${caution}.`);
}
