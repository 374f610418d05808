import { lstatSync, readlinkSync, statSync, type BigIntStats, type PathLike } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { foldName } from '../danger/protected-places.ts';
import { storePath, type Image, type Step } from '../workspace/changes/step.ts';
import { indexMeaning, isIndexPath } from '../journal/git-index.ts';
import { wholeImage } from '../journal/whole-entry.ts';
import { displayPath, joinNames, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { resolveTarget, type Target } from '../workspace/target.ts';
import { TreeCursor, addTo, turns, visitTree, type TreeSize } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { PlannedEntry } from './planned-entry.ts';
import type { TouchedFolder } from './transaction.ts';
import { sameContent } from './change-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** The steps that apply a command's changes to the workspace. */
export interface ChangePlan {
  readonly steps: readonly Step[];
  /** Conflicts with changes by others. */
  readonly conflicts: readonly PlannedEntry[];
  /** Changes in repositories that have conflicts: a commit without its index would make the next commit take it back. */
  readonly heldWithRepository: readonly PlannedEntry[];
  /** Final folder times, because exchanging entries changes them. */
  readonly folders: ReadonlyArray<{ readonly location: WorkspacePath; readonly stat: BigIntStats }>;
}

export type IsPutBack = (location: WorkspacePath, stat: BigIntStats, since: bigint) => boolean;

/** Whether the workspace has another entry at a place than the one that a change replaces, or none. */
export type IsOther = (location: WorkspacePath, stat: BigIntStats | undefined) => boolean;

/** Input of {@link planChanges}. */
export interface PlanSources {
  readonly confinement: Confinement;
  readonly area: TransactionArea;
  readonly changes: readonly PlannedEntry[];
  readonly touched: readonly TouchedFolder[];
  /** Nanoseconds since 1970: later changes in the workspace are by others. */
  readonly startedAt: bigint;
  /** Whether an undo restored an entry as it was at a time, which does not count as a change. */
  readonly isPutBack: IsPutBack;
  /** Default: what the changes say. */
  readonly isOther?: IsOther | undefined;
  /** What was found out about a changed entry before; undefined if nothing was. */
  readonly expected?: Expected | undefined;
  readonly signal: AbortSignal;
}

/**
 * What is known of an entry of the workspace: that others changed it, the only ctime with which it may be replaced, or the time from which
 * changes are by others, and whether an entry that was restored counts as unchanged.
 */
export type Expected = (
  location: WorkspacePath,
) => 'conflict' | { readonly changed: bigint } | { readonly since: bigint; readonly restored: boolean } | undefined;

const upperPath = (area: TransactionArea, location: readonly Name[]): string | Buffer => joinNames(area.upper, location);
const linkText = (path: PathLike): Buffer => readlinkSync(path, 'buffer');

/** The image of an entry, with what it says if it is an index of git. */
function imageOf(stat: BigIntStats, tree: Pick<TreeSize, 'entries' | 'bytes'>, location: WorkspacePath, at: PathLike): Image {
  const image = wholeImage(stat, tree, stat.isSymbolicLink() ? linkText(at) : undefined);
  const index = image.type === 'file' && isIndexPath(location) ? indexMeaning(at) : undefined;
  return index === undefined || image.type === 'other' || image.whole === undefined ? image : { ...image, whole: { ...image.whole, index } };
}

/** Compares the workspace with its earlier state. */
async function compare(sources: PlanSources, rest: ReturnType<typeof turns>) {
  const modes: Step[] = [];
  const found: { readonly change: PlannedEntry; readonly image: Image | null }[] = [];
  const conflicts: PlannedEntry[] = [];
  for (const change of sources.changes) {
    await rest();
    const { location, before, now } = change;
    const expected = sources.expected?.(location);
    if (expected === 'conflict') {
      conflicts.push(change);
      continue;
    }
    if (change.isModeOnly && before !== undefined && now !== undefined) {
      const image = (stat: BigIntStats) => ({ type: 'folder' as const, mode: Number(stat.mode) & 0o7777 });
      modes.unshift({ kind: 'set', path: storePath(location), before: image(before), after: image(now) });
      continue;
    }
    const state = await find(sources, change, expected);
    if (state === 'conflict') conflicts.push(change);
    if (typeof state !== 'string') found.push({ change, ...state });
  }
  return { modes, found, conflicts };
}

/** Compares the workspace with its earlier state, and plans the exchange of each entry. */
export async function planChanges(sources: PlanSources): Promise<ChangePlan> {
  const { area, signal } = sources;
  const steps: Step[] = [];
  const folders = new Map<string, { location: WorkspacePath; stat: BigIntStats }>();
  const firstSlot = area.firstSlot();
  const rest = turns(signal);
  const { modes, found, conflicts } = await compare(sources, rest);
  const busy = new Set(conflicts.flatMap(({ location }) => repositoryOf(location) ?? []));
  const isBusy = ({ location }: PlannedEntry): boolean => busy.has(repositoryOf(location) ?? '');
  for (const { change, image } of found) {
    await rest();
    if (isBusy(change)) continue;
    const { location, now } = change;
    const made = now === undefined ? null : imageOf(now, change, location, upperPath(area, location));
    const parent = location.slice(0, -1);
    const key = displayPath(parent);
    const isFirst = !folders.has(key);
    const stat = folders.get(key)?.stat ?? lstatSync(upperPath(area, parent), { bigint: true });
    folders.set(key, { location: parent, stat });
    const times = isFirst ? { folder: { before: String(modified(sources.confinement, parent)), after: String(stat.mtimeNs) } } : {};
    const swap = { area: area.name, slot: firstSlot + steps.length, keep: 'old', ...times } as const;
    steps.push({ kind: 'set', path: storePath(location), before: image, after: made, swap });
  }
  for (const touched of sources.touched) {
    const key = displayPath(touched.location);
    if (!folders.has(key) && isUntouched(sources, touched)) folders.set(key, { location: touched.location, stat: touched.now });
  }
  const heldWithRepository = found.flatMap(({ change }) => (isBusy(change) ? [change] : []));
  return { steps: [...steps, ...modes], conflicts, heldWithRepository, folders: [...folders.values()] };
}

/** Folders of version control systems, whose files only have a meaning together. */
const REPOSITORIES: ReadonlySet<string> = new Set(['.git', '.hg', '.jj', '.svn']);

/** Returns the outermost repository folder that contains a location, if any. */
export function repositoryOf(location: WorkspacePath): string | undefined {
  const depth = location.findIndex((name) => REPOSITORIES.has(foldName(name)));
  return depth < 0 || depth === location.length - 1 ? undefined : displayPath(location.slice(0, depth + 1));
}

function modified(confinement: Confinement, location: WorkspacePath): bigint {
  using folder = confinement.openDirectory(location);
  return statSync(folder.self, { bigint: true }).mtimeNs;
}

/** Whether nothing else added or removed an entry in a folder in the meantime. */
function isUntouched({ confinement, startedAt, isPutBack }: PlanSources, { location, before }: TouchedFolder): boolean {
  using place = placeOf(confinement, location);
  const stat = place?.stat;
  return stat?.ino === before.ino && stat.dev === before.dev && (stat.ctimeNs < startedAt || isPutBack(location, stat, startedAt));
}

const isSameFile = (one: BigIntStats | undefined, other: BigIntStats): boolean =>
  one?.isFile() === true && other.isFile() && one.size === other.size && one.mode === other.mode;
const isSameInode = (one: BigIntStats, other: BigIntStats): boolean => one.ino === other.ino && one.dev === other.dev;

/** The current entry, as kept for undo; `done` if it already has the target state. */
async function find(
  { confinement, area, startedAt, isPutBack, isOther, signal }: PlanSources,
  { location, before, now }: PlannedEntry,
  expected: Exclude<ReturnType<Expected>, 'conflict'>,
): Promise<'conflict' | 'done' | { readonly image: ReturnType<typeof wholeImage> | null }> {
  using place = placeOf(confinement, location);
  if (place === undefined) return now === undefined ? 'done' : 'conflict';
  const { stat } = place;
  const isOtherNow = (): boolean => isOther?.(location, stat) === true;
  if (stat === undefined) {
    if (now === undefined) return 'done';
    return before === undefined && !isOtherNow() ? { image: null } : 'conflict';
  }
  const at = place.ancestor.at(place.name);
  const isLater = (where: WorkspacePath, one: BigIntStats): boolean => {
    if (expected === undefined) return one.ctimeNs >= startedAt && !isPutBack(where, one, startedAt);
    if ('changed' in expected) return one.ctimeNs !== expected.changed;
    return one.ctimeNs >= expected.since && !(expected.restored && isPutBack(where, one, expected.since));
  };
  if (before === undefined || !isSameInode(stat, before) || isOtherNow() || isLater(location, stat))
    return isSameFile(now, stat) && sameContent(upperPath(area, location), at) ? 'done' : 'conflict';
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  if (!stat.isDirectory()) return { image: imageOf(stat, { entries: 0, bytes: Number(stat.size) }, location, at) };
  using cursor = new TreeCursor(place.ancestor.self);
  cursor.enter(place.name);
  let changed = false;
  /** Whether each folder on the way changed later. */
  const later = new Map<number, boolean>();
  await visitTree(
    cursor,
    (name, below) => {
      addTo(size, below);
      const depth = cursor.location.length;
      const isLaterOne = isLater([...location.slice(0, -1), ...cursor.location, name], below);
      if (below.isDirectory()) later.set(depth + 1, isLaterOne);
      // A folder that was moved here, with files that did not change. Of others, something was only deleted.
      if (isLaterOne && (!below.isDirectory() || later.get(depth) === true)) changed = true;
    },
    signal,
  );
  return changed ? 'conflict' : { image: wholeImage(stat, size) };
}

/** The target of a change; undefined if its folder is gone or replaced by a link. */
function placeOf(confinement: Confinement, location: WorkspacePath): Target | undefined {
  try {
    const place = resolveTarget(confinement, location, { followLink: false });
    if (place.missing.length === 0 && displayPath(place.location) === displayPath(location)) return place;
    place[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (isSynapseError(error) || ['ENOTDIR', 'ENOENT'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
