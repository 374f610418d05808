import { isSynapseError } from '@synapse/protocol';
import type { CallFacts } from '../pipeline/facts.ts';
import type { ProcessOutcome, ProcessRequest, Processes, QuarantinedFile } from '../process/processes.ts';
import { count } from '../text/amounts.ts';
import type { AppliedChanges, Transaction, WithheldChange } from './transaction.ts';

/** Of what was withheld or in conflict, a result names at most so much. */
const MAX_TOLD = 10;

/** What became of the changes of a command. */
export type Settled =
  | { readonly kind: 'applied'; readonly applied: AppliedChanges }
  /** They wait for a person under a handle. */
  | { readonly kind: 'held'; readonly handle: string; readonly why: string }
  | { readonly kind: 'dropped'; readonly why: string };

/** Decides what becomes of the changes of a command that ended by itself. */
export type Settle = (transaction: Transaction) => Promise<Settled>;

/** What commands are run with. */
export interface TransactionalParts {
  /** Runs a command in the workspace itself. */
  readonly live: Processes;
  /** Why commands cannot run as transactions here; undefined where they can. */
  readonly problem: () => Promise<string | undefined>;
  /** Runs a command as a transaction. */
  readonly open: (request: ProcessRequest) => Promise<Transaction>;
  readonly settle: Settle;
  readonly facts: CallFacts;
}

/** Applies whatever a command changed. */
export const applyAll: Settle = async (transaction) => ({ kind: 'applied', applied: await transaction.apply() });

/**
 * Runs commands as transactions: on a copy-on-write view, whose changes reach the workspace once they are judged and settled,
 * as one change that can be undone. Where that does not work they run live, and the result says so.
 */
export function transactionalCommands(parts: TransactionalParts): Processes {
  const { live, facts } = parts;
  return {
    async run(request) {
      // Asked before, and not learned from a failure: a command must never run a second time.
      const problem = await parts.problem();
      if (problem !== undefined) {
        facts.notes.push(`What this command changed cannot be undone: ${problem}.`);
        return await live.run(request);
      }
      await using transaction = await parts.open(request);
      facts.undo = 'covered';
      return await settled(transaction, parts);
    },
  };
}

async function settled(transaction: Transaction, { settle, facts }: TransactionalParts): Promise<ProcessOutcome> {
  const { outcome, changes } = transaction;
  const isUnchanged = changes.changes.length === 0 && changes.withheld.length === 0;
  if (changes.unjudged !== undefined) {
    if (outcome.aborted && isUnchanged) {
      facts.notes.push('It was ended before it had changed anything; the workspace is as it was.');
      return outcome;
    }
    const handle = await transaction.hold(changes.unjudged);
    facts.notes.push(`The workspace is as it was: nothing of what it changed was applied, as ${changes.unjudged}. ${keptUnder(handle)}`);
    return outcome;
  }
  if (isUnchanged) return outcome;
  let end: Settled;
  try {
    end = await settle(transaction);
  } catch (error) {
    if (!isSynapseError(error) || error.code === 'denied' || error.code === 'approval_required') throw error;
    const handle = await transaction.hold(error.message);
    facts.notes.push(`The workspace is as it was: nothing of what it changed was applied. ${error.message} ${keptUnder(handle)}`);
    return outcome;
  }
  if (end.kind === 'held') facts.notes.push(`The workspace is unchanged: ${end.why}. ${waitsUnder(end.handle)}`);
  if (end.kind === 'dropped') facts.notes.push(`The workspace is unchanged: what it changed was dropped, as ${end.why}.`);
  if (end.kind !== 'applied') return outcome;
  tellApplied(transaction, end.applied, facts);
  // What an earlier command left was found before this one ran.
  return { ...outcome, quarantined: [...outcome.quarantined, ...changes.withheld.filter(isKept).map(quarantined)] };
}

/** What is there can be put into the quarantine; a deletion that a rule denies just does not happen. */
const isKept = ({ reason, isThere }: WithheldChange & { readonly isThere?: boolean }): boolean => reason !== 'special-file' && isThere !== false;
const quarantined = ({ path, reason }: WithheldChange): QuarantinedFile => ({ path, reason, action: 'moved' });

/** They do not come by themselves. */
function waitsUnder(handle: string): string {
  return `A person decides: synapse changes apply ${handle}, or synapse changes drop ${handle}.`;
}

function keptUnder(handle: string): string {
  return `A person finds it with: synapse changes pending ${handle}.`;
}

function tellApplied({ changes }: Transaction, { applied, conflicts, undo }: AppliedChanges, facts: CallFacts): void {
  if (applied > 0) facts.appliedFrom = 'copy';
  if (undo !== true) {
    facts.undo = 'not covered';
    facts.notes.push(`What this command changed cannot be undone: ${undo}.`);
  }
  const { notes } = facts;
  const tell = <T>(items: readonly T[], line: (item: T) => string): void => {
    for (const item of items.slice(0, MAX_TOLD)) notes.push(line(item));
    if (items.length > MAX_TOLD) notes.push(`And ${count(items.length - MAX_TOLD, 'more')} of these.`);
  };
  tell(
    changes.withheld.filter((one) => !isKept(one)),
    ({ path, detail }) => `Not kept of what it did: ${path} (${detail}).`,
  );
  tell(conflicts, ({ path, handle }) => `${path} was changed by something else while it ran, and stays as that left it. ${keptUnder(handle)}`);
  tell(changes.cautions, (caution) => `${caution}.`);
}
