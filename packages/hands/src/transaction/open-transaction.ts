import { existsSync, readdirSync, renameSync, rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { until } from '../events/until.ts';
import { DangerJudge } from '../danger/danger-judge.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { JournalLimits, TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { Step } from '../workspace/changes/step.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxOutcome, SandboxProcesses } from '../sandbox/sandbox-processes.ts';
import type { HiddenPlace } from '../sandbox/workspace-mounts.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { ElsewhereSource } from '../workspace/named-elsewhere.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { withClonesByCopy } from './clone-by-copy.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { isOpaque } from './exact-attributes.ts';
import { joinRepository, ownOfWorktree } from './linked-repository.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import { HiddenPlaces, makeHiddenLayer } from './hidden-layer.ts';
import { MergedView } from './merged-view.ts';
import { takeAlongHidden } from './moved-hidden.ts';
import { writePending } from './pending-record.ts';
import { OverlayView } from './overlay-view.ts';
import { planChanges, type ChangePlan } from './plan-changes.ts';
import { readChanges, type PlannedEntry, type ReadChanges } from './read-changes.ts';
import { runOnOverlay, type OverlayCommand } from './run-on-overlay.ts';
import { showChanges } from './show-changes.ts';
import { cleanBefore, finishFolders } from './finish-entries.ts';
import { takeWithheld } from './take-withheld.ts';
import type { AppliedChanges, ApplyOptions, Transaction } from './transaction.ts';
import { makeArea, type TransactionArea } from './transaction-area.ts';

/** Dependencies of transactions. */
export interface TransactionParts {
  /** Folder of areas; outside the workspace, on its file system. */
  readonly areas: string;
  /** Folder for withheld entries. */
  readonly quarantine: string;
  /** The workspace, with its repository if that is {@link linked}. */
  readonly confinement: Confinement;
  /** The repository outside the workspace that commands may change; undefined if there is none. */
  readonly linked: LinkedWorktree | undefined;
  /** Its folder, if commands get a copy of it too. */
  readonly repository: string | undefined;
  /** Reads recreated folders; executes nothing from the workspace. */
  readonly processes: Processes;
  /** Reads and changes attributes of entries. */
  readonly attributes: AttributeWorker;
  readonly guards: Pick<PlaceGuards, 'denied' | 'moves' | 'opens' | 'read'>;
  readonly elsewhere: ElsewhereSource;
  /** Runs work while no other transaction of this workspace is applied, in any process. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** A number that differs after each change of the workspace by a call; undefined if it cannot be read, such as on a full disk. */
  readonly newest: () => number | undefined;
  /** Exchanges entries as one change that can be undone. */
  readonly exchange: (steps: readonly Step[]) => Promise<true | string>;
  readonly powers: () => StepPowers;
  readonly limits: JournalLimits;
  /** Maximum bytes kept for the undo of a command. */
  readonly undoBudget: () => number;
  readonly signal: AbortSignal;
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
 * @param keepsNetwork whether the command has the network of the policy; false for a dry run
 * @throws SynapseError `unavailable` if overlays do not work; the command was not run
 */
export async function openTransaction(
  parts: TransactionParts,
  sandbox: { readonly runIn: SandboxProcesses['runIn'] },
  request: ProcessRequest,
  keepsNetwork = true,
): Promise<Transaction> {
  const { areas, confinement, repository, attributes } = parts;
  const command = request.argv.at(-1) ?? '';
  const area = makeArea(areas, confinement.root, keepsNetwork ? command : undefined, repository);
  let ran: OverlayCommand;
  try {
    // In parallel with the command, because most commands on a copy change something.
    attributes.start();
    const hide = async (places: readonly HiddenPlace[]): Promise<boolean> =>
      await makeHiddenLayer({ layer: area.hidden, confinement, attributes, signal: request.signal }, places);
    ran = await runOnOverlay(sandbox, withClonesByCopy(request), {
      area,
      root: confinement.root,
      repository,
      keepsNetwork,
      hide,
    });
  } catch (error) {
    await area.remove();
    throw error;
  }
  const { outcome, startedAt, rootChanged } = ran;
  const mixed = joinRepository(area);
  // Most commands change nothing, and a dry run leaves the journal alone.
  const judgedAt = keepsNetwork && readdirSync(area.upper).length > 0 ? parts.newest() : undefined;
  const judge = async (): Promise<ReadChanges> => {
    const read = await readJudged(parts, area, outcome, rootChanged);
    return { ...read, unjudged: read.unjudged ?? mixed };
  };
  const open = { area, read: await judge(), startedAt, command };
  return new CommandTransaction(parts, open, outcome, { judge, judgedAt });
}

/** How to judge changes again, and after which change of the workspace they were judged. */
interface Judging {
  readonly judge: () => Promise<ReadChanges>;
  readonly judgedAt: number | undefined;
}

async function readJudged(parts: TransactionParts, area: TransactionArea, { aborted }: SandboxOutcome, rootChanged: boolean): Promise<ReadChanges> {
  // Changes of a cancelled call are read too, with a separate deadline.
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

/** Deadline for reading the changes of a cancelled command, in milliseconds. */
const ENDED_MS = 10_000;
const NOTHING_READ: ReadChanges = {
  changes: [],
  withheld: [],
  touched: [],
  cautions: [],
  unjudged: undefined,
  files: 0,
  bytes: 0,
  fingerprint: '',
  taken: { bytes: 0, path: '.' },
};

/** Reads the changes in an area and judges each one. */
export async function readArea(
  parts: Pick<TransactionParts, 'confinement' | 'linked' | 'guards' | 'elsewhere' | 'processes' | 'attributes' | 'signal'>,
  area: TransactionArea,
): Promise<ReadChanges> {
  const { confinement, linked, elsewhere, processes, attributes, signal } = parts;
  const guards = ownOfWorktree(parts.guards, linked);
  await using merged = new MergedView(area.path, processes, signal, linked !== undefined);
  using stack = new DisposableStack();
  const lower = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(lower));
  const made = stack.use(upper.openDirectory([]));
  const hidden = await HiddenPlaces.read(area.hidden, signal);
  const isReplaced = async (folder: readonly Name[]): Promise<boolean> => (await isOpaque(attributes, made, folder, signal)) !== false;
  const { stays, taken } = await takeAlongHidden({ area, confinement, hidden, guards, isOpaque: isReplaced, attributes, signal });
  const after = new OverlayView(stack.use(new ConfinedView(made)), before);
  const { places, problem } = await until(elsewhere.current(), signal);
  const read = await readChanges({
    upper: area.upper,
    lower: lower.self,
    standIn: lower.standIn,
    judge: { guards, danger: new DangerJudge({ before, after, rootPath: confinement.root, elsewhere: places }), root: confinement.root },
    after,
    isOpaque: async (folder, name) => (await isOpaque(attributes, made, folder, signal)) ?? (name !== undefined && !(await merged.has(folder, name))),
    hidden,
    stays,
    taken,
    signal,
  });
  return { ...read, unjudged: read.unjudged ?? problem };
}

/**
 * Withholds what a second judgement withholds. Everything else stays as it was read first: the state of the workspace before
 * the command tells what others have changed since.
 */
function judgedAgain(first: ReadChanges, second: ReadChanges): ReadChanges {
  const withheld = second.withheld.map(({ location, isThere }) => ({ key: bytePath(location), isThere }));
  const isWithheld = (path: string): boolean => withheld.some(({ key, isThere }) => path === key || (isThere && path.startsWith(`${key}/`)));
  return {
    ...first,
    changes: first.changes.filter(({ location }) => !isWithheld(bytePath(location))),
    withheld: second.withheld,
    cautions: second.cautions,
    unjudged: first.unjudged ?? second.unjudged,
  };
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
    const { bytes, path } = this.changes.taken;
    // Most commands delete nothing, so the disk need not be read.
    const limit = bytes === 0 ? 0 : this.#parts.undoBudget();
    return bytes > limit ? [{ path, bytes, limit }] : [];
  }

  async show(): Promise<ShownEffect> {
    return await showChanges(this.#parts, this.#open);
  }

  async apply(options?: ApplyOptions): Promise<AppliedChanges> {
    const { alone, newest } = this.#parts;
    const { judge, judgedAt } = this.#judging;
    const applied = await alone(async () => {
      // Two changes that are harmless alone can be dangerous together, such as the parts of a repository.
      if (judgedAt === undefined || newest() !== judgedAt) this.#open = { ...this.#open, read: judgedAgain(this.changes, await judge()) };
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

function hold({ area, read, startedAt, command }: OpenChanges, why: string): string {
  const { changes, bytes } = read;
  const files = changes.reduce((sum, change) => sum + change.files, 0);
  return writePending(area, { command, why, files, bytes, startedAt: String(startedAt) });
}

/**
 * Applies the command's changes to the workspace, except for conflicts: entries that others changed in the meantime stay,
 * and the command's versions wait under a handle. A repository with a conflict stays as a whole.
 */
export async function applyChanges(parts: TransactionParts, open: OpenChanges, { whole = false }: ApplyOptions = {}): Promise<AppliedChanges> {
  const { area, read, startedAt } = open;
  const { confinement, quarantine, signal } = parts;
  if (read.unjudged !== undefined) throw notJudged(read.unjudged);
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
  const handle = plan.conflicts.length === 0 ? undefined : holdConflicts(parts, open, plan);
  await tidy(area);
  const conflicts = plan.conflicts.map(({ path }) => ({ path, handle: handle ?? '' }));
  return { applied: plan.steps.length, conflicts, alongside: plan.alongside.length, undo };
}

/** Moves the remaining changes to a separate area, where they wait for a person. */
function holdConflicts({ areas, confinement }: TransactionParts, { area, read, command }: OpenChanges, plan: ChangePlan): string {
  const left = makeArea(areas, confinement.root);
  const waiting = [...plan.conflicts, ...plan.alongside];
  rmdirSync(left.upper);
  dropMarks(area, read.changes, waiting, plan.steps.length);
  renameSync(area.upper, left.upper);
  if (existsSync(area.hidden)) renameSync(area.hidden, left.hidden);
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

function notJudged(why: string): SynapseError {
  return new SynapseError('conflict', `The changes of the command are not applied: ${why}.`, {
    hint: 'They are kept for a person: synapse changes pending.',
  });
}
