import { existsSync, lstatSync, readdirSync, renameSync, rmdirSync, symlinkSync, unlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { StepPowers } from '../journal/apply-step.ts';
import type { JournalLimits, TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { Step } from '../workspace/changes/step.ts';
import type { ProcessRequest } from '../process/processes.ts';
import type { SandboxOutcome, SandboxProcesses } from '../sandbox/sandbox-processes.ts';
import type { HiddenPlace } from '../sandbox/workspace-mounts.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { displayPath, joinNames } from '../workspace/byte-name.ts';
import type { HeldCommands } from '../workspace/workspace-reader.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { withClonesByCopy } from './clone-by-copy.ts';
import { joinRepository } from './linked-repository.ts';
import { makeHiddenLayer } from './hidden-layer.ts';
import { opaqueMarks } from './exact-attributes.ts';
import type { KeptOutputs } from './output-layer.ts';
import { writePending } from './pending-record.ts';
import { planChanges, type ChangePlan } from './plan-changes.ts';
import { judgedAgain, readArea, readEnded, type readJudged, type AreaParts } from './read-area.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import { runOnOverlay, type OverlayCommand } from './run-on-overlay.ts';
import type { Ignored } from './fold-changes.ts';
import { showChanges } from './show-changes.ts';
import { openFolders } from './closed-folders.ts';
import { cleanBefore, finishFolders } from './finish-entries.ts';
import { takeWithheld } from './take-withheld.ts';
import type { AppliedChanges, ApplyOptions, Transaction } from './transaction.ts';
import { makeArea, OUTPUTS, type TransactionArea } from './transaction-area.ts';

/** Dependencies of transactions. */
export interface TransactionParts extends AreaParts {
  /** Folder of areas; outside the workspace, on its file system. */
  readonly areas: string;
  /** Maximum bytes of build output that is kept apart. Default: as built in. */
  readonly maxBytes?: number | undefined;
  /** Folder for withheld entries. */
  readonly quarantine: string;
  /** The folder of the {@link linked} repository, if commands get a copy of it too. */
  readonly repository: string | undefined;
  /** Removes secrets from the beginning of a command, which is recorded. */
  readonly redact: (text: string) => string;
  /** Runs work while no other transaction of this workspace is applied, in any process. What a killed one applied in part is settled before. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Keeps commands from starting in the workspace, in any process. */
  readonly holdCommands: () => HeldCommands;
  /** Whether the journal refers to an area. */
  readonly isKept: (area: string) => boolean;
  /** A number that differs after each change of the workspace by a call; undefined if it cannot be read, such as on a full disk. */
  readonly newest: () => number | undefined;
  /** Exchanges entries as one change that can be undone. */
  readonly exchange: (steps: readonly Step[]) => Promise<true | string>;
  readonly powers: () => StepPowers;
  readonly limits: JournalLimits;
  readonly ignored: Ignored;
  /** Maximum bytes kept for the undo of a command. */
  readonly undoBudget: () => number;
}

/** The changes of a command in any copy. */
export interface OpenChanges {
  readonly area: TransactionArea;
  readonly read: ReadChanges;
  readonly startedAt: bigint;
  readonly command: string;
}

/**
 * Runs a command on a copy-on-write view of the workspace and reads what it changed.
 *
 * @param mode `try` for a dry run, which leaves no trace
 * @throws SynapseError `unavailable` if overlays do not work; the command was not run
 */
export async function openTransaction(
  parts: TransactionParts,
  sandbox: { readonly runIn: SandboxProcesses['runIn'] },
  request: ProcessRequest,
  mode: 'copy' | 'try' = 'copy',
): Promise<Transaction> {
  const { areas, confinement, repository, attributes } = parts;
  const command = parts.redact(request.argv.at(-1) ?? '');
  const area = makeArea(areas, confinement.root, mode === 'copy' ? command : undefined, repository);
  let ran: OverlayCommand;
  let seen: readonly string[] = [];
  try {
    if (existsSync(join(areas, OUTPUTS))) seen = await showOutputs(area, parts);

    // In parallel with the command, because most commands on a copy change something.
    attributes.start();
    const hide = async (places: readonly HiddenPlace[]): Promise<boolean> =>
      await makeHiddenLayer({ layer: area.hidden, confinement, attributes, signal: request.signal }, places);
    ran = await runOnOverlay(sandbox, withClonesByCopy(request), {
      area,
      root: confinement.root,
      repository,
      mode,
      hide,
    });
  } catch (error) {
    await area.remove();
    throw error;
  }
  const { outcome, startedAt, rootChanged } = ran;
  const mixed = joinRepository(area);
  // Most commands change nothing, and a dry run leaves the journal alone.
  const judgedAt = mode === 'copy' && readdirSync(area.upper).length > 0 ? parts.newest() : undefined;
  const judge: Judging['judge'] = async (named) => {
    const reading: typeof readJudged = async (...given) => await readArea(...given, command, named);
    const read = await readEnded(parts, area, outcome, rootChanged, reading);
    const touched = [...read.changes, ...read.touched].map(({ location }) => displayPath(location));
    const seenOutputs = seen.filter(
      (folder) => touched.some((path) => path === folder || path.startsWith(`${folder}/`)) || isDeletedIn(area, folder),
    );
    return { ...read, seenOutputs, unjudged: read.unjudged ?? mixed };
  };
  const open = { area, read: await judge(), startedAt, command };
  return new CommandTransaction(parts, open, outcome, { judge, judgedAt });
}

/** Lets a command see the build output of earlier ones; returns its folders. */
async function showOutputs(area: TransactionArea, { areas, confinement, alone }: TransactionParts): Promise<readonly string[]> {
  const { currentOutputs } = await import('./output-state.ts');
  const layer = await alone(async () => await currentOutputs(areas, confinement));
  if (layer !== undefined) symlinkSync(layer.upper, area.outputs);
  return layer?.folders ?? [];
}

/** Whether a command deleted a folder of build output. If only the earlier output has it, that is no change of the workspace. */
function isDeletedIn({ upper }: TransactionArea, folder: string): boolean {
  try {
    return lstatSync(join(upper, folder)).isCharacterDevice();
  } catch {
    // It did not touch it, or what is above it.
    return false;
  }
}

/** How to judge changes again, and after which change of the workspace they were judged. */
interface Judging {
  /** @param named what git brought and a person approved by name. Default: all, for the first look */
  readonly judge: (named?: ReadChanges['brought']) => Promise<ReadChanges>;
  readonly judgedAt: number | undefined;
}

class CommandTransaction implements Transaction {
  readonly outcome: SandboxOutcome;
  readonly #parts: TransactionParts;
  readonly #judging: Judging;
  #open: OpenChanges;
  #state: 'open' | 'applied' | 'held' = 'open';

  constructor(parts: TransactionParts, open: OpenChanges, outcome: SandboxOutcome, judging: Judging) {
    this.#parts = parts;
    this.#open = open;
    this.#judging = judging;
    this.outcome = outcome;
  }

  get changes(): ReadChanges {
    return this.#open.read;
  }

  get irreversible(): readonly TooLargeToUndo[] {
    const { bytes, path } = this.changes.removed;
    // Most commands delete nothing, so the disk need not be read.
    const limit = bytes === 0 ? 0 : this.#parts.undoBudget();
    return bytes > limit ? [{ path, bytes, limit }] : [];
  }

  async keepOutputs(folders: readonly string[]): Promise<KeptOutputs> {
    const { keepOutputs } = await import('./output-layer.ts');
    const { alone, attributes } = this.#parts;
    const kept = await alone(async () => await keepOutputs({ ...this.#parts, marks: opaqueMarks(attributes) }, this.#open, folders));
    this.#open = { ...this.#open, read: withoutFolders(this.changes, folders) };
    return kept;
  }

  async show(signal: AbortSignal): Promise<ShownEffect> {
    return await showChanges(this.#parts, this.#open, signal);
  }

  async apply(options: ApplyOptions = {}): Promise<AppliedChanges> {
    const { alone, newest } = this.#parts;
    const { judge, judgedAt } = this.#judging;
    if (this.changes.seenOutputs.length > 0) await this.keepOutputs(this.changes.seenOutputs);
    const applied = await alone(async () => {
      // Two changes that are harmless alone can be dangerous together, such as the parts of a repository.
      const { brought } = this.changes;
      const named = options.approved === true ? brought : [];
      if (named.length < brought.length || judgedAt === undefined || newest() !== judgedAt)
        this.#open = { ...this.#open, read: judgedAgain(this.changes, await judge(named)) };
      return await applyChanges(this.#parts, this.#open, options);
    });
    this.#state = 'applied';
    return applied;
  }

  hold(why: string): Promise<string> {
    // Even if holding them fails: the copy contains the only version of the changes.
    this.#state = 'held';
    return Promise.resolve(hold(this.#open, why));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state !== 'open') return;
    try {
      await this.#open.area.remove();
    } catch {
      // Nothing reached the workspace. The cleanup after this process removes the rest.
    }
  }
}

/** The changes outside folders. What their folders show of them, their times, is left out too. */
function withoutFolders(read: ReadChanges, folders: readonly string[]): ReadChanges {
  const isIn = (path: string): boolean => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const changes = read.changes.filter(({ path }) => !isIn(path));
  const above = new Set(folders.map((folder) => displayPath(folder.split('/').slice(0, -1))));
  const touched = read.touched.filter(({ location }) => !isIn(displayPath(location)) && !above.has(displayPath(location)));
  const added = changes.filter(({ now }) => now !== undefined);
  // What the changes of the folders would have replaced stays.
  const taken = changes.map(({ path, kind, before, bytes }) => ({
    path,
    bytes: kind === 'deleted' || before?.isDirectory() === true ? bytes : Number(before?.size ?? 0n),
  }));
  const largest = taken.reduce((most, one) => (one.bytes > most.bytes ? one : most), { path: '.', bytes: 0 });
  return {
    ...read,
    changes,
    touched,
    seenOutputs: read.seenOutputs.filter((folder) => !folders.includes(folder)),
    files: added.reduce((sum, change) => sum + change.files, 0),
    bytes: added.reduce((sum, change) => sum + change.bytes, 0),
    removed: { path: largest.path, bytes: taken.reduce((sum, one) => sum + one.bytes, 0) },
  };
}

function hold({ area, read, startedAt, command }: OpenChanges, why: string): string {
  const { changes, bytes } = read;
  const files = changes.reduce((sum, change) => (change.isTimeOnly ? sum : sum + change.files), 0);
  return writePending(area, { command, why, files, bytes, startedAt: String(startedAt) });
}

/**
 * Applies the command's changes to the workspace, except for conflicts: entries that others changed in the meantime stay,
 * and the command's versions wait under a handle. A repository with a conflict stays as a whole.
 */
export async function applyChanges(parts: TransactionParts, open: OpenChanges, { whole = false }: ApplyOptions = {}): Promise<AppliedChanges> {
  const { area, read } = open;
  if (read.unjudged !== undefined) throw notJudged(read.unjudged);
  // Otherwise a command that runs would see the files under their new names.
  using held = read.movesHidden ? parts.holdCommands() : undefined;
  if (held?.areRunning === true) throw seenByCommands();
  const { plan, undo } = await exchangeAll(parts, open, whole);
  const handle = plan.conflicts.length === 0 ? undefined : holdConflicts(parts, open, plan);
  await tidy(area);
  const conflicts = plan.conflicts.map(({ path }) => ({ path, handle: handle ?? '' }));
  return { applied: plan.steps.length, conflicts, alongside: plan.alongside.length, undo };
}

/** Moves everything without a conflict to its place. */
async function exchangeAll(parts: TransactionParts, open: OpenChanges, whole: boolean): Promise<{ plan: ChangePlan; undo: true | string }> {
  const { area, read, startedAt } = open;
  const { confinement, quarantine, signal } = parts;
  using _ = openFolders(area, read.changes);
  const { inodeMap } = parts.powers();
  const isPutBack = (stat: BigIntStats): boolean => inodeMap.isPutBack(stat);
  const plan = await planChanges({ confinement, area, changes: read.changes, touched: read.touched, startedAt, isPutBack, signal });
  const [conflict] = plan.conflicts;
  if (whole && conflict !== undefined) throw changedMeanwhile(conflict.path);
  // If Synapse is killed after this point, the changes wait for a person, unless all were applied.
  if (plan.steps.length > 0 && !existsSync(area.record)) hold(open, 'Synapse was ended while it applied them');
  takeWithheld(area, quarantine, read.withheld);
  await cleanBefore(parts, open, plan);
  const undo = plan.steps.length === 0 ? true : await parts.exchange(plan.steps);
  await finishFolders(parts, open, plan);
  return { plan, undo };
}

/** Moves the remaining changes to a separate area, where they wait for a person. */
function holdConflicts({ areas, confinement }: TransactionParts, { area, read, command }: OpenChanges, plan: ChangePlan): string {
  const left = makeArea(areas, confinement.root);
  const waiting = [...plan.conflicts, ...plan.alongside];
  rmdirSync(left.upper);
  dropMarks(area, read.changes, waiting, plan.steps.length);
  renameSync(area.upper, left.upper);
  if (existsSync(area.hidden)) renameSync(area.hidden, left.hidden);
  if (existsSync(area.repository.lower)) renameSync(area.repository.lower, left.repository.lower);
  const files = waiting.reduce((sum, change) => sum + change.files, 0);
  const bytes = waiting.reduce((sum, change) => sum + change.bytes, 0);
  const why = 'something else changed the same meanwhile';
  return writePending(left, { command, why, files, bytes, startedAt: String(left.stamp()) });
}

/** Removes the kernel's marks that applied deletions leave behind. They do not wait. */
function dropMarks(area: TransactionArea, changes: readonly PlannedEntry[], waiting: readonly PlannedEntry[], applied: number): void {
  if (applied === 0) return;
  const left = new Set(waiting);
  for (const change of changes) if (change.now === undefined && !left.has(change)) unlinkSync(joinNames(area.upper, change.location));
}

async function tidy(area: TransactionArea): Promise<void> {
  try {
    await area.settle();
  } catch (error) {
    // Applied changes stay, whatever happens to the rest of the copy.
    if (errnoOf(error) === undefined) throw error;
  }
}

function changedMeanwhile(path: string): SynapseError {
  const problem = 'was changed by something else meanwhile';
  return new SynapseError('conflict', `${path} ${problem}; nothing was changed.`, { details: { path, problem }, retryable: true });
}

function seenByCommands(): SynapseError {
  const problem = 'It moves files that are hidden from commands, and one that runs now would see them under their new names.';
  return new SynapseError('conflict', problem, {
    hint: 'Apply the changes once the running commands and jobs have ended: synapse changes pending.',
    details: { problem },
    retryable: true,
  });
}

function notJudged(why: string): SynapseError {
  return new SynapseError('conflict', `The changes of the command are not applied: ${why}.`, {
    hint: 'They are kept for a person: synapse changes pending.',
  });
}
