import { existsSync, renameSync, rmdirSync, unlinkSync, utimesSync, type BigIntStats } from 'node:fs';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { asFoundIn, type AsFound } from '../journal/as-found.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { Journal } from '../journal/journal.ts';
import { areasOf } from '../journal/kept-areas.ts';
import { takeAway } from '../quarantine/take-away.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { isSwap, loadPath, mayHaveList, placesOf, type Image, type Step } from '../workspace/changes/step.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { nanosecondsOf, secondsOf } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { HeldCommands } from '../workspace/workspace-reader.ts';
import { openFolders } from './closed-folders.ts';
import { AttributeOrders } from './exact-attributes.ts';
import type { Ignored } from './fold-changes.ts';
import { writePending } from './pending-record.ts';
import { planChanges, type ChangePlan, type Expected, type IsOther, type IsPutBack } from './plan-changes.ts';
import type { PlannedEntry, ReadChanges, WithheldEntry } from './planned-entry.ts';
import type { AreaParts } from './read-area.ts';
import type { ReplacedEntries } from './replaced-entries.ts';
import type { AppliedChanges, ApplyOptions } from './transaction.ts';
import { makeArea, type TransactionArea } from './transaction-area.ts';

const OWNER_ALL = 0o700n;

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
  /** Its database opens with its first use: most commands change nothing. */
  readonly journal: Journal;
  /** How steps are read. A dry run does not open the journal for it. */
  readonly powers: () => StepPowers;
  /** Exchanges entries as one change that can be undone. */
  readonly exchange: (steps: readonly Step[]) => Promise<void>;
  readonly ignored: Ignored;
}

/** The changes of a command in any copy. */
export interface OpenChanges {
  readonly area: TransactionArea;
  readonly read: ReadChanges;
  readonly startedAt: bigint;
  readonly command: string;
  readonly expected?: Expected;
  /** What they replace, if they were read before. Default: what {@link read} says */
  readonly replaced?: ReplacedEntries;
  /** Changes of repositories that wait whatever happens, and which of them are conflicts. */
  readonly waiting?: { readonly conflicts: readonly PlannedEntry[]; readonly all: readonly PlannedEntry[] };
}

/** Keeps the changes until a person decides; returns their handle. Of what they replace, only the time says whether it is another entry. */
function recordChanges({ area, read, startedAt, command }: OpenChanges, why: string): string {
  const { changes, bytes } = read;
  const files = changes.reduce((sum, change) => (change.isTimeOnly ? sum : sum + change.files), 0);
  return writePending(area, { command, why, files, bytes, startedAt: String(startedAt) });
}

/** The same, and notes what they replace. */
export async function holdChanges(open: OpenChanges, why: string): Promise<string> {
  await noteReplaced(open.area, open.read.changes);
  return recordChanges(open, why);
}

async function noteReplaced({ replaced }: TransactionArea, changes: readonly PlannedEntry[]): Promise<void> {
  // Loaded on demand: most changes do not wait.
  const { ReplacedEntries } = await import('./replaced-entries.ts');
  ReplacedEntries.write(replaced, changes);
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
  const handle = plan.conflicts.length === 0 ? undefined : await holdConflicts(parts, open, plan);
  await tidy(area);
  const conflicts = plan.conflicts.map(({ path }) => ({ path, handle: handle ?? '' }));
  return { applied: plan.steps.length, conflicts, heldWithRepository: plan.heldWithRepository.length, undo };
}

/** A plan with changes that wait whatever happens. */
function withWaiting(plan: ChangePlan, { conflicts, all }: NonNullable<OpenChanges['waiting']>): ChangePlan {
  const isConflict = new Set(conflicts);
  const held = all.filter((change) => !isConflict.has(change));
  return { ...plan, conflicts: [...plan.conflicts, ...conflicts], heldWithRepository: [...plan.heldWithRepository, ...held] };
}

/** Whether a folder of the workspace stays, and the command closed it to its own user. */
const isClosedFolder = ({ isModeOnly, now }: PlannedEntry): boolean =>
  isModeOnly && now?.isDirectory() === true && (now.mode & OWNER_ALL) !== OWNER_ALL;

/** Whether an undo restored an entry as it was at a time. For one plan. */
export function putBackIn(parts: Pick<TransactionParts, 'powers' | 'journal'>): IsPutBack {
  const { inodeMap } = parts.powers();
  let asFound: AsFound | undefined;
  return (location, stat, since) => inodeMap.isPutBack(stat) && (asFound ??= asFoundIn(parts.journal.database))(location, since);
}

/** Whether the workspace has another entry than the one that the changes replace. For one plan. */
export function isOtherIn(parts: Pick<TransactionParts, 'powers'>, { replaced }: OpenChanges): IsOther | undefined {
  if (replaced === undefined) return undefined;
  const { inodeMap } = parts.powers();
  return (location, stat) => replaced.isOther(location, stat, (inode, found) => inodeMap.isSame(inode, found));
}

/** Moves everything without a conflict to its place. */
export async function exchangeAll(parts: TransactionParts, open: OpenChanges, whole: boolean): Promise<{ plan: ChangePlan; undo: true | string }> {
  const { area, read, startedAt, expected } = open;
  const { confinement, quarantine, signal } = parts;
  const isOther = isOtherIn(parts, open);
  const closed = read.changes.filter(isClosedFolder);
  using _ = closed.length === 0 ? undefined : openFolders(area, closed);
  const isPutBack = putBackIn(parts);
  const planned = await planChanges({
    confinement,
    area,
    changes: read.changes,
    touched: read.touched,
    startedAt,
    isPutBack,
    isOther,
    expected,
    signal,
  });
  const plan = open.waiting === undefined ? planned : withWaiting(planned, open.waiting);
  const [conflict] = plan.conflicts;
  if (whole && conflict !== undefined) throw changedMeanwhile(conflict.path);
  // If Synapse is killed after this point, the changes wait for a person, unless all were applied.
  if (plan.steps.length > 0 && !existsSync(area.record)) recordChanges(open, 'Synapse was ended while it applied them');
  if (read.withheld.length > 0) takeWithheld(area, quarantine, read.withheld);
  await cleanBefore(parts, open, plan);
  await keepLists(parts, open, plan);
  if (plan.steps.length > 0) await parts.exchange(plan.steps);
  const isKept = [...areasOf(plan.steps)].every((one) => parts.journal.database.areas.isKept(one));
  await finishFolders(parts, open, plan);
  return { plan, undo: isKept || 'it is more than the undo journal keeps' };
}

/** Moves the remaining changes to a separate area, where they wait for a person. */
async function holdConflicts({ areas, confinement }: TransactionParts, { area, read, command }: OpenChanges, plan: ChangePlan): Promise<string> {
  const left = makeArea(areas, confinement.root);
  const waiting = [...plan.conflicts, ...plan.heldWithRepository];
  rmdirSync(left.upper);
  dropMarks(area, read.changes, waiting, plan.steps.length);
  renameSync(area.upper, left.upper);
  if (existsSync(area.hidden)) renameSync(area.hidden, left.hidden);
  if (existsSync(area.pinned)) renameSync(area.pinned, left.pinned);
  if (existsSync(area.repository.lower)) renameSync(area.repository.lower, left.repository.lower);
  const files = waiting.reduce((sum, change) => sum + change.files, 0);
  const bytes = waiting.reduce((sum, change) => sum + change.bytes, 0);
  const why = 'something else changed the same meanwhile';
  await noteReplaced(left, waiting);
  return writePending(left, { command, why, files, bytes, startedAt: String(left.stamp()) });
}

/** Removes the kernel's marks that applied deletions leave behind. They do not wait. */
export function dropMarks(area: TransactionArea, changes: readonly PlannedEntry[], waiting: readonly PlannedEntry[], applied: number): void {
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

/** A path whose characters stand for bytes. */
const latin1 = (location: readonly Name[]): string => location.map((name) => Buffer.from(name).toString('latin1')).join('/');

/**
 * Moves withheld entries from the changes to the quarantine. Deletes pipes, sockets and devices.
 *
 * @throws SynapseError `unavailable` if an entry cannot be moved: then nothing may be applied
 */
function takeWithheld(area: TransactionArea, quarantine: string, withheld: readonly WithheldEntry[]): void {
  using upper = new HandleConfinement(area.upper);
  for (const { location, path, reason, detail, isThere } of withheld) {
    if (!isThere) continue;
    if (reason === 'special-file') {
      using folder = upper.openDirectory(location.slice(0, -1));
      unlinkSync(folder.at(location.at(-1) ?? ''));
      continue;
    }
    const leftover = { path: latin1(location), reason, detail, remove: true };
    const [taken] = takeAway(upper, quarantine, [leftover]);
    if (taken?.action === 'moved' || taken?.action === 'deleted') continue;
    throw new SynapseError('unavailable', `${path} may not reach the workspace, and could not be put into the quarantine.`, {
      hint: 'Free some space on the disk of the state folder of Synapse: synapse doctor shows which it is.',
    });
  }
}

/**
 * Removes overlay marks from entries before they are applied. A recreated folder keeps its marks until it is in place:
 * if that fails, they still show that it was recreated.
 */
async function cleanBefore({ attributes, signal }: TransactionParts, { area, read }: OpenChanges, plan: ChangePlan): Promise<void> {
  const orders = new AttributeOrders();
  for (const folder of keepsLayer(area, plan) ? foldersOf(plan.steps) : []) orders.clean(folder, 'itself');
  for (const step of plan.steps) {
    if (!isSwap(step) || step.after === null || (!read.hasCopies && step.after.type !== 'folder')) continue;
    // The kernel also marks a new folder that is renamed to its place, wherever that is.
    if (!read.hasCopies) orders.clean(loadPath(step.path), 'folders');
    else orders.clean(loadPath(step.path), step.before?.type === 'folder' && step.after.type === 'folder' ? 'below' : 'all');
  }
  if (orders.isEmpty) return;
  using upper = new HandleConfinement(area.upper);
  using folder = upper.openDirectory([]);
  await orders.run(attributes, folder, signal);
}

/** Where a step puts a file in place of one that may have an access list. */
function listedPlaces(step: Step): readonly WorkspacePath[] {
  if (!isSwap(step) || step.before?.type !== 'file' || step.after?.type !== 'file') return [];
  return mayHaveList(step.before.mode ?? 0) ? [loadPath(step.path)] : [];
}

/**
 * Gives files the access lists of those that they replace: commands cannot do that, and the mode alone would let the group do what the list as a
 * whole allowed.
 */
async function keepLists({ attributes, confinement, signal }: TransactionParts, { area, read }: OpenChanges, plan: ChangePlan): Promise<void> {
  const places = read.hasCopies ? plan.steps.flatMap(listedPlaces) : [];
  if (places.length === 0) return;
  using upper = new HandleConfinement(area.upper);
  for (let at = 0; at < places.length;) {
    using held = new DisposableStack();
    const orders = new AttributeOrders();
    for (; orders.hasRoom && at < places.length; at += 1) {
      const [folder, name] = [places[at]?.slice(0, -1) ?? [], places[at]?.at(-1) ?? ''];
      orders.keepList(held.use(confinement.openDirectory(folder)), held.use(upper.openDirectory(folder)), name);
    }
    await orders.run(attributes, held.use(upper.openDirectory([])), signal);
  }
}

/** Whether something stays in the layer, which the workspace is seen through again. */
const keepsLayer = (area: TransactionArea, { conflicts, heldWithRepository }: ChangePlan): boolean =>
  conflicts.length > 0 || heldWithRepository.length > 0 || existsSync(area.ofBranch);

/** The folders around places that steps change. One that was made anew has a mark, by which it would hide what was applied. */
function foldersOf(steps: readonly Step[]): readonly WorkspacePath[] {
  const folders = steps.flatMap(placesOf).flatMap(foldersAround);
  return [...new Map(folders.map((folder) => [bytePath(folder), folder])).values()];
}

const isFolder = (image: Image | null): boolean => image?.type === 'folder';

/**
 * Restores the folder times that the command left, because exchanging entries changed them, and removes the marks from
 * recreated folders. An explicitly set time is restored to the nanosecond.
 */
async function finishFolders({ confinement, attributes, signal }: TransactionParts, { startedAt }: OpenChanges, plan: ChangePlan): Promise<void> {
  using held = new DisposableStack();
  const orders = new AttributeOrders();
  const open = (location: WorkspacePath): PinnedDirectory | undefined => {
    try {
      return confinement.openDirectory(location);
    } catch (error) {
      // Deleted in the meantime.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  };
  for (const step of plan.steps) {
    if (!orders.hasRoom) break;
    if (!isSwap(step) || !isFolder(step.before) || !isFolder(step.after)) continue;
    const folder = open(loadPath(step.path));
    if (folder !== undefined) orders.cleanHeld(held.use(folder));
  }
  for (const { location, stat } of plan.folders) {
    const folder = open(location);
    if (folder === undefined) continue;
    using _ = folder;
    const isChosen = stat.mtimeNs < startedAt && nanosecondsOf(secondsOf(stat.mtimeNs)) !== stat.mtimeNs;
    // Opened anew: a handle of a folder that the command closed to its owner leads to no other.
    const again = isChosen && orders.hasRoom ? open(location) : undefined;
    if (again !== undefined) orders.setTimes(held.use(again), stat);
    giveTimes(folder, stat);
  }
  if (!orders.isEmpty) await orders.run(attributes, held.use(confinement.openDirectory([])), signal);
}

function giveTimes(folder: PinnedDirectory, { atimeNs, mtimeNs }: BigIntStats): void {
  try {
    // Without the final dot, as the command may have closed it to its owner.
    utimesSync(folder.self.replace(/\/\.$/u, ''), secondsOf(atimeNs), secondsOf(mtimeNs));
  } catch (error) {
    // Owned by another user. Then its time only says when its content last changed.
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
