import type { CallResult } from '@synapse/protocol';
import type { CallOptions } from '../pipeline/call.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { assertOpen } from '../pipeline/scope.ts';
import { ToolRegistry } from '../registry.ts';
import type { Runtime } from '../runtime.ts';
import { queryAudit } from '../store/audit/query-audit.ts';
import { count } from '../text/amounts.ts';
import type { JournalEntry } from './journal-database.ts';
import { netChanges } from './net-changes.ts';
import { planUndo, stepsToUndo, type UndoPlan } from './plan-undo.ts';
import { entriesOfCall, selectEntries, type UndoSelection } from './select-entries.ts';
import { showChange, type ShownChange } from './show-changes.ts';
import { pathsOf, undoTool } from './undo-tool.ts';
import type { RecordedChange } from '../store/audit/audit-record.ts';

/** What came of taking changes back. */
export interface Undone {
  readonly changes: readonly RecordedChange[];
  /** Folders that hold something else by now, so that they were left. */
  readonly kept_folders: readonly string[];
}

/** Taking back what calls changed. */
export interface Undo {
  /**
   * Takes calls back, all of what they changed or nothing. It is a call like any other: it needs the grant
   * to write, is in the audit log, and can be undone itself.
   *
   * @throws SynapseError `not_found` or `conflict` where the selection names nothing that can be undone, `unavailable`
   *   once the hands are closed
   * @example
   * await hands.undo(); // the last call that changed something
   * await hands.undo({ session: 'session-1' });
   */
  undo(selection?: UndoSelection, options?: CallOptions): Promise<CallResult<Undone>>;
  /** Tells what {@link Undo.undo} would do, and what stands in its way; changes nothing. */
  planUndo(selection?: UndoSelection): Promise<UndoPlan>;
  /**
   * What calls changed and nobody took back, summed up by file, with diffs. Commands' own changes are not known.
   *
   * @throws SynapseError `not_found` where a call is named that nobody knows here
   */
  changes(selection?: Pick<UndoSelection, 'call' | 'session'>): Promise<ShownChange[]>;
}

/** Commands that ran beside the changes: what they did to files is in no journal. */
function notCovered(stateFolder: string, root: string, entries: readonly JournalEntry[]): string[] {
  const since = new Date(Math.min(...entries.map(({ time }) => time)));
  const sessions = new Set(entries.map(({ session }) => session ?? undefined));
  let commands = 0;
  for (const { start, end } of queryAudit(stateFolder, root, { since })) {
    // Records of before this was written down tell of every command that ran.
    const undo = end?.undo ?? (end?.effects === 'exec' && end.ok && end.dry_run !== true ? 'not covered' : 'covered');
    if (undo === 'not covered' && sessions.has(start.session)) commands += 1;
  }
  if (commands === 0) return [];
  return [`${count(commands, 'command')} ran since then; what these changed themselves is not kept and cannot be undone.`];
}

/** Gives hands their undo. */
export function createUndo(runtime: Runtime, stateFolder: string): Undo {
  const { journal, confinement } = runtime;
  const registry = new ToolRegistry([undoTool(journal)]);
  // A reader must not change the workspace, not even to put right what a killed writer left.
  const recover = async (): Promise<void> => {
    if (runtime.mayWrite()) await journal.recover({ signal: runtime.closing, onNote: () => {} });
  };
  return {
    async undo(selection = {}, options = {}) {
      assertOpen(runtime.closing);
      // A dry run changes nothing, not even what a killed process left half done.
      if (options.dryRun !== true) await recover();
      const entries = selectEntries(journal.database, selection);
      const { steps } = stepsToUndo(entries, journal.powers());
      const input = { entries: entries.map(({ id }) => id), paths: pathsOf(steps) };
      return (await runCall(runtime, 'undo', input, options, registry)) as CallResult<Undone>;
    },
    async planUndo(selection = {}) {
      assertOpen(runtime.closing);
      await recover();
      const entries = selectEntries(journal.database, selection);
      return { ...planUndo(entries, journal.powers()), not_covered: notCovered(stateFolder, confinement.root, entries) };
    },
    async changes({ call, session } = {}) {
      assertOpen(runtime.closing);
      // A mistyped id must not read as a call that changed nothing.
      const isKnown = call === undefined || queryAudit(stateFolder, confinement.root, { call, limit: 1 }).next().done === false;
      if (!isKnown) entriesOfCall(journal.database, call);
      const filter = { ...(call === undefined ? {} : { call }), ...(session === undefined ? {} : { session }) };
      const entries = journal.database.done(filter).filter(({ undone_by: by, undoes }) => by === null && (undoes.length === 0 || call !== undefined));
      return await Promise.all(netChanges(entries.toReversed()).map((change) => showChange(journal.powers(), change)));
    },
  };
}
