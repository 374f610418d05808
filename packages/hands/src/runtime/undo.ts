import * as z from 'zod';
import { SynapseError, type CallResult } from '@synapse/protocol';
import type { CallOptions } from '../call/call.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { ToolRegistry } from './registry.ts';
import type { Runtime } from './runtime.ts';
import type { EndRecord } from '../audit/audit-record.ts';
import { queryAudit } from '../audit/query-audit.ts';
import { count } from '../text/amounts.ts';
import type { JournalEntry } from '../journal/journal-database.ts';
import { netChanges } from '../journal/net-changes.ts';
import { planUndo, stepsToUndo, undoProblems, type ProtectedChange, type UndoPlan } from '../journal/plan-undo.ts';
import { undoableCalls, type LeftCall, type UndoableCalls, type UndoProblem } from '../journal/undoable-calls.ts';
import { approverOf } from '../approval/approver-of.ts';
import { judgeByRules, pathsOf, undoDangers } from './undo-dangers.ts';
import { completeIds, entriesOfCall, selectEntries, type UndoSelection } from '../journal/select-entries.ts';
import { showChange, type ShownChange } from '../journal/show-changes.ts';
import { describeStep, type RecordedChange } from '../workspace/changes/step.ts';
import { defineTool } from '../tool/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import { turns } from '../workspace/tree-cursor.ts';

const Change = z.strictObject({
  kind: z.string(),
  path: z.string(),
  to: z.string().optional(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

/**
 * Reverts changes. A tool, so that it is authorized, recorded and journaled; not offered
 * to models, because it names entries of the journal.
 *
 * @param dangers the changes of files that other programs execute: the question names each, and a yes is for these
 */
function undoTool(journal: Journal, dangers: readonly ProtectedChange[], left: readonly LeftCall[]) {
  let approved: ReadonlySet<string> = new Set();
  return defineTool({
    name: 'undo',
    title: 'Undo',
    description: 'Take earlier changes back.',
    effects: 'write',
    destructive: true,
    restores: true,
    input: z.strictObject({
      entries: z.array(z.int()).min(1).describe('Entries of the journal, newest first'),
      paths: z.array(z.string()).describe('What they touch: an approval is for these and no others'),
    }),
    output: z.strictObject({
      changes: z.array(Change),
      kept_folders: z.array(z.string()),
      left: z.array(z.strictObject({ call: z.string(), tool: z.string(), reason: z.string() })),
    }),
    permission: ({ paths }) => paths.map((resource) => ({ action: 'write' as const, resource })),
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ entries }, { changes }) => `undo(${count(entries.length, 'change')}) → ${count(changes.length, 'step')}`,
    held() {
      if (dangers.length === 0) return undefined;
      return {
        reason: `it changes ${dangerText(dangers)}`,
        details: dangers.map(({ path, reason }) => `changes ${path}: ${reason}`),
        hint: 'A person can allow it: with a yes (synapse undo in a terminal, or the console), or with --allow write,protected or allow: ["write", "protected"] (library).',
        accept() {
          approved = new Set(dangers.map(({ path }) => path));
        },
      };
    },
    async execute({ entries: ids, paths }, { workspace }) {
      const found = journal.database.withIds(ids).filter(({ undone_by: by }) => by === null);
      const { steps, keptFolders } = stepsToUndo(found, journal.powers());
      if (found.length !== ids.length || JSON.stringify(pathsOf(steps)) !== JSON.stringify(paths)) {
        throw new SynapseError('conflict', 'The journal changed in the meantime; nothing was undone.', {
          hint: 'Look again at what would be undone.',
          retryable: true,
        });
      }
      await workspace.restore(steps, ids, approved);
      const changes = steps.map(describeStep);
      const kept = keptFolders.length === 0 ? '' : ` Not empty by now, so left: ${keptFolders.join(', ')}.`;
      return {
        data: { changes, kept_folders: keptFolders, left: [...left] },
        content: [`${count(found.length, 'change')} undone in ${count(changes.length, 'step')}.${kept}`, ...left.map(leftText)].join('\n'),
      };
    },
  });
}

/** Maximum number of files that a reason names. The details of the question name all. */
const MAX_NAMED = 3;

function dangerText(dangers: readonly ProtectedChange[]): string {
  const named = dangers.slice(0, MAX_NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const more = dangers.length > MAX_NAMED ? ` and ${count(dangers.length - MAX_NAMED, 'more file')}` : '';
  return `${named.join(', ')}${more}, and other programs execute or obey such files`;
}

const leftText = ({ call, tool, reason }: LeftCall): string => `Not undone: ${tool} (${call}). ${reason}`;

/** The result of an undo. */
export interface Undone {
  /** Selected calls that could not be undone, each with the reason. */
  readonly left: readonly LeftCall[];
  readonly changes: readonly RecordedChange[];
  /** Folders that were kept because they now hold other files. */
  readonly kept_folders: readonly string[];
}

/** Undo of the changes of calls. */
export interface Undo {
  /**
   * Reverts calls, each with all of its changes or none. If several are selected, those that cannot be undone are left
   * out, and the result names them. An undo is a call like any other: it needs permission
   * to write, is in the audit log, and can itself be undone.
   *
   * @throws SynapseError `not_found` or `conflict` if the selection contains nothing that can be undone, `unavailable`
   *   if the hands are closed
   * @example
   * await hands.undo(); // the last call that changed something
   * await hands.undo({ session: 'session-1' });
   */
  undo(selection?: UndoSelection, options?: CallOptions): Promise<CallResult<Undone>>;
  /** Returns what {@link Undo.undo} would do, and what prevents it. Changes nothing. */
  planUndo(selection?: UndoSelection): Promise<UndoPlan>;
  /**
   * The changes of calls that were not reverted, by file, with diffs. Excludes changes that commands made directly in the workspace.
   *
   * @param options `diffs`: of how many changes the diffs are computed, which takes time; `true`: of all, which is the default
   * @throws SynapseError `not_found` for an unknown call, `cancelled`
   */
  changes(
    selection?: Pick<UndoSelection, 'call' | 'session'>,
    options?: { readonly diffs?: boolean | number; readonly signal?: AbortSignal },
  ): Promise<ShownChange[]>;
}

/**
 * Whether a call may have changed what is in no journal: a command that ran live, or a tool of the embedding program that runs programs by itself.
 * Commands that only read, and programs and actions on jobs, which ask for no permission of their own, changed nothing.
 */
function isNotCovered({ undo, effects, ok, dry_run, command, resources = [] }: EndRecord): boolean {
  if (undo !== undefined) return undo === 'not covered';
  return effects === 'exec' && ok && dry_run !== true && command === undefined && resources.length > 0;
}

/** Reports commands that ran in the meantime and whose changes are in no journal. */
function notCovered(stateFolder: string, root: string, entries: readonly JournalEntry[]): string[] {
  const since = new Date(Math.min(...entries.map(({ time }) => time)));
  const sessions = new Set(entries.map(({ session }) => session ?? undefined));
  let commands = 0;
  for (const { start, end } of queryAudit(stateFolder, root, { since })) {
    if (end !== undefined && isNotCovered(end) && sessions.has(start.session)) commands += 1;
  }
  if (commands === 0) return [];
  return [`${count(commands, 'command')} ran since then; what these changed themselves is not kept and cannot be undone.`];
}

/** Creates the undo methods of hands. */
export function createUndo(runtime: Runtime, stateFolder: string): Undo {
  const { confinement } = runtime;
  const { journal } = runtime.powers;
  // Reading must not change the workspace, not even to recover from a killed writer.
  const recover = async (): Promise<void> => {
    if (runtime.mayWrite()) await journal.recover({ signal: runtime.closing, onNote: () => {} });
  };
  /** @param isAsked whether a person is asked, whose yes covers what needs approval */
  const problemsOf = async (entries: readonly JournalEntry[], isAsked: boolean): Promise<UndoProblem[]> => {
    const problems = undoProblems(entries, journal.powers());
    if (problems.length > 0) return problems;
    const { steps } = stepsToUndo(entries, journal.powers());
    const { denied, asked } = judgeByRules(runtime, pathsOf(steps));
    const refused = isAsked ? denied : [...denied, ...asked, ...(await undoDangers(runtime, steps))];
    return refused.flatMap(({ path, reason }): UndoProblem[] => {
      const entry = entries.find((one) => pathsOf(one.steps).some((own) => own === path || own.startsWith(`${path}/`)));
      return entry === undefined ? [] : [{ call: entry.call, reason: `${path} needs approval: ${reason}.` }];
    });
  };
  const select = async (selection: UndoSelection, isAsked: boolean): Promise<UndoableCalls> => {
    const entries = selectEntries(journal.database, completeIds(journal.database, selection));
    const calls = new Set(entries.map(({ call }) => call));
    const whole: UndoableCalls = { entries, left: [] };
    if (calls.size === 1) return whole;
    const found = await undoableCalls(entries, (rest) => problemsOf(rest, isAsked));
    // If nothing is left to undo, the error of the whole says why.
    return found.entries.length === 0 ? whole : found;
  };
  return {
    async undo(selection = {}, options = {}) {
      assertOpen(runtime.closing);
      // A dry run changes nothing, not even to recover from a killed process.
      if (options.dryRun !== true) await recover();
      const isAsked = approverOf(options.approver, runtime.authorizer.approver) !== undefined;
      const { entries, left } = await select(selection, isAsked);
      const { steps } = stepsToUndo(entries, journal.powers());
      const registry = new ToolRegistry([undoTool(journal, await undoDangers(runtime, steps), left)]);
      const input = { entries: entries.map(({ id }) => id), paths: pathsOf(steps) };
      return (await runCall(runtime, 'undo', input, options, registry)) as CallResult<Undone>;
    },
    async planUndo(selection = {}) {
      assertOpen(runtime.closing);
      await recover();
      const { entries, left } = await select(selection, true);
      const plan = planUndo(entries, journal.powers());
      const isPossible = plan.conflicts.length === 0;
      const { steps } = isPossible ? stepsToUndo(entries, journal.powers()) : { steps: [] };
      const guarded = judgeByRules(runtime, pathsOf(steps)).asked.filter(({ path }) => protectedPlace(path.split('/')) !== undefined);
      return {
        ...plan,
        protected: [...new Map([...guarded, ...(await undoDangers(runtime, steps))].map((one) => [one.path, one])).values()],
        left,
        not_covered: notCovered(stateFolder, confinement.root, entries),
      };
    },
    async changes(selection = {}, { diffs = true, signal = new AbortController().signal } = {}) {
      assertOpen(runtime.closing);
      const { call, session } = completeIds(journal.database, selection);
      // A mistyped id must not look like a call that changed nothing.
      const isKnown = call === undefined || queryAudit(stateFolder, confinement.root, { call, limit: 1 }).next().done === false;
      if (!isKnown) entriesOfCall(journal.database, call);
      const filter = { ...(call === undefined ? {} : { call }), ...(session === undefined ? {} : { session }) };
      const entries = journal.database.done(filter).filter(({ undone_by: by, undoes }) => by === null && (undoes.length === 0 || call !== undefined));
      const most = typeof diffs === 'number' ? diffs : diffs ? Infinity : 0;
      const rest = turns(signal);
      const shown: ShownChange[] = [];
      for (const change of netChanges(entries.toReversed())) {
        if (signal.aborted) throw new SynapseError('cancelled', 'Interrupted while the changes were compared.');
        shown.push(await showChange(journal.powers(), change, shown.length < most));
        await rest();
      }
      return shown;
    },
  };
}
