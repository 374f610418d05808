import { existsSync, renameSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { DangerJudge } from '../danger/danger-judge.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { JournalLimits } from '../journal/capture.ts';
import type { Step } from '../journal/step.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxOutcome, SandboxProcesses } from '../sandbox/sandbox-processes.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { MergedView } from './merged-view.ts';
import { writePending } from './pending-record.ts';
import { OverlayView } from './overlay-view.ts';
import { planChanges, type ChangePlan } from './plan-changes.ts';
import { readChanges, type PlannedEntry, type ReadChanges } from './read-changes.ts';
import { runOnOverlay, type OverlayCommand } from './run-on-overlay.ts';
import { showChanges } from './show-changes.ts';
import { takeWithheld } from './take-withheld.ts';
import type { AppliedChanges, Transaction } from './transaction.ts';
import { makeArea, type TransactionArea } from './transaction-area.ts';

/** What transactions of a workspace are made with. */
export interface TransactionParts {
  /** Where areas lie; outside the workspace, on its file system. */
  readonly areas: string;
  /** Where what is withheld is kept. */
  readonly quarantine: string;
  readonly confinement: Confinement;
  /** Runs the look at folders that were made anew, which executes nothing of the workspace. */
  readonly processes: Processes;
  readonly guards: Pick<PlaceGuards, 'denied' | 'opens' | 'read'>;
  /** Exchanges entries as one change that can be undone. */
  readonly exchange: (steps: readonly Step[]) => Promise<true | string>;
  readonly powers: () => StepPowers;
  readonly limits: JournalLimits;
  readonly signal: AbortSignal;
}

/** Changes of a command, wherever it ran. */
export interface OpenChanges {
  readonly area: TransactionArea;
  readonly read: ReadChanges;
  readonly startedAt: bigint;
  readonly command: string;
}

/**
 * Runs a command on a copy-on-write view of the workspace and reads what it changed.
 *
 * @throws SynapseError `unavailable` where overlays do not work; the command was not run then
 */
export async function openTransaction(
  parts: TransactionParts,
  sandbox: { readonly runIn: SandboxProcesses['runIn'] },
  request: ProcessRequest,
): Promise<Transaction> {
  const { areas, confinement } = parts;
  const area = makeArea(areas, confinement.root);
  let ran: OverlayCommand;
  try {
    ran = await runOnOverlay(sandbox, request, area, confinement.root);
  } catch (error) {
    await area.remove();
    throw error;
  }
  const { outcome, startedAt, rootChanged } = ran;
  const read = await readJudged(parts, area, outcome, rootChanged);
  return new CommandTransaction(parts, { area, read, startedAt, command: request.argv.at(-1) ?? '' }, outcome);
}

async function readJudged(parts: TransactionParts, area: TransactionArea, { aborted }: SandboxOutcome, rootChanged: boolean): Promise<ReadChanges> {
  // Who gave up waiting still gets what can be told: the look at the changes has its own time.
  const signal = aborted ? AbortSignal.timeout(ENDED_MS) : parts.signal;
  try {
    const read = await readArea({ ...parts, signal }, area);
    const cautions = rootChanged ? [...read.cautions, 'the permissions of the workspace itself stay as they are'] : read.cautions;
    return { ...read, cautions, unjudged: read.unjudged ?? (aborted ? 'the command was ended before it was done' : undefined) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...NOTHING_READ, unjudged: `what it did could not be read (${why})` };
  }
}

/** For what a command did that was ended, in milliseconds. */
const ENDED_MS = 10_000;
const NOTHING_READ: ReadChanges = { changes: [], withheld: [], cautions: [], unjudged: undefined, files: 0, bytes: 0, fingerprint: '' };

/** Reads the changes in an area, each judged. */
export async function readArea(
  parts: Pick<TransactionParts, 'confinement' | 'guards' | 'processes' | 'signal'>,
  area: TransactionArea,
): Promise<ReadChanges> {
  const { confinement, guards, processes, signal } = parts;
  await using merged = new MergedView(area.path, processes, signal);
  using stack = new DisposableStack();
  const lower = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(lower));
  const after = new OverlayView(stack.use(new ConfinedView(stack.use(upper.openDirectory([])))), before);
  return await readChanges({
    upper: area.upper,
    lower: lower.self,
    judge: { guards, danger: new DangerJudge({ before, after, rootPath: confinement.root }), root: confinement.root },
    after,
    has: (folder, name) => merged.has(folder, name),
    signal,
  });
}

class CommandTransaction implements Transaction {
  readonly outcome: SandboxOutcome;
  readonly changes: ReadChanges;
  readonly #parts: TransactionParts;
  readonly #open: OpenChanges;
  #state: 'open' | 'applied' | 'held' = 'open';

  constructor(parts: TransactionParts, open: OpenChanges, outcome: SandboxOutcome) {
    this.#parts = parts;
    this.#open = open;
    this.changes = open.read;
    this.outcome = outcome;
  }

  async show(): Promise<ShownEffect> {
    return await showChanges(this.#parts, this.#open);
  }

  async apply(): Promise<AppliedChanges> {
    const applied = await applyChanges(this.#parts, this.#open);
    this.#state = 'applied';
    return applied;
  }

  hold(why: string): Promise<string> {
    const handle = hold(this.#open, why);
    this.#state = 'held';
    return Promise.resolve(handle);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state !== 'open') return;
    try {
      await this.#open.area.remove();
    } catch {
      // Nothing of it reached the workspace. What is left goes when this process is gone.
    }
  }
}

function hold({ area, read, startedAt, command }: OpenChanges, why: string): string {
  const { files, bytes } = read;
  return writePending(area, { command, why, files, bytes, startedAt: String(startedAt) });
}

/**
 * Makes the workspace as the command left its copy, except for what something else changed meanwhile, which stays as it is
 * and waits under a handle in the command's version.
 */
export async function applyChanges(parts: TransactionParts, open: OpenChanges): Promise<AppliedChanges> {
  const { area, read, startedAt } = open;
  const { confinement, quarantine, signal } = parts;
  if (read.unjudged !== undefined) throw notJudged(read.unjudged);
  takeWithheld(area, quarantine, read.withheld);
  const plan = await planChanges({ confinement, area, changes: read.changes, startedAt, signal });
  // From here on a kill leaves them to a person, unless all of it was done.
  if (plan.steps.length > 0 && !existsSync(area.record)) hold(open, 'Synapse was ended while it applied them');
  const undo = plan.steps.length === 0 ? true : await parts.exchange(plan.steps);
  for (const { location, stat } of plan.folders) giveTimes(confinement, location, stat);
  const handle = plan.conflicts.length === 0 ? undefined : holdConflicts(parts, open, plan);
  await tidy(area);
  return { applied: plan.steps.length, conflicts: plan.conflicts.map(({ path }) => ({ path, handle: handle ?? '' })), undo };
}

/** Exchanging entries changed the times of their folder; it is to have those that the command left. */
function giveTimes(
  confinement: Confinement,
  location: PlannedEntry['location'],
  { atimeNs, mtimeNs }: { readonly atimeNs: bigint; readonly mtimeNs: bigint },
): void {
  try {
    using folder = confinement.openDirectory(location);
    utimesSync(folder.self, Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
  } catch (error) {
    // It went away, or belongs to another user: its time says no more than when something in it changed.
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Moves what is left of the changes to an area of its own, where they wait for a person. */
function holdConflicts({ areas, confinement }: TransactionParts, { area, read, command }: OpenChanges, { conflicts, steps }: ChangePlan): string {
  const left = makeArea(areas, confinement.root);
  rmdirSync(left.upper);
  dropMarks(area, read.changes, conflicts, steps.length);
  renameSync(area.upper, left.upper);
  const files = conflicts.reduce((sum, change) => sum + change.files, 0);
  const bytes = conflicts.reduce((sum, change) => sum + change.bytes, 0);
  const why = 'something else changed the same meanwhile';
  return writePending(left, { command, why, files, bytes, startedAt: String(left.stamp()) });
}

/** Deletions that were applied leave the kernel's marks behind; they are no conflict. */
function dropMarks(area: TransactionArea, changes: readonly PlannedEntry[], conflicts: readonly PlannedEntry[], applied: number): void {
  if (applied === 0) return;
  const left = new Set(conflicts);
  for (const change of changes) if (change.now === undefined && !left.has(change)) unlinkSync(joinNames(area.upper, change.location));
}

async function tidy(area: TransactionArea): Promise<void> {
  try {
    await area.settle();
  } catch (error) {
    // What was applied stands, whatever becomes of the rest of the copy.
    if (errnoOf(error) === undefined) throw error;
  }
}

function notJudged(why: string): SynapseError {
  return new SynapseError('conflict', `The changes of the command are not applied: ${why}.`, {
    hint: 'They are kept for a person: synapse changes pending.',
  });
}
