import { statSync, type BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { repositoryOf, type Expected } from '../transaction/plan-changes.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { inodeOf } from '../workspace/changes/step.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import { turns } from '../workspace/tree-cursor.ts';
import type { BranchConflict } from './branch-conflict.ts';
import { NO_INODE, type Bases, type KnownBase } from './base-log.ts';
import { decideFile, type Version } from './decide-file.ts';
import { committedVersion, type CommittedBase, type MergedCommits } from './merged-commits.ts';
import { asFile, isSameLarge, readVersion } from './read-version.ts';
import type { Resolution } from './resolutions.ts';

/** What becomes of one change of a branch. */
export type Ruling =
  /** It is applied, if the entry of the workspace still is as it was. */
  | {
      readonly kind: 'branch';
      readonly expected: Exclude<ReturnType<Expected>, 'conflict'>;
      /** If nothing is noted of the entry: the time from which on the workspace did not change it. */
      readonly unchangedSince?: bigint;
    }
  /** The workspace has the same already, or the branch changed nothing. */
  | { readonly kind: 'workspace' }
  | MixedFile
  | { readonly kind: 'conflict'; readonly conflict: BranchConflict; readonly committed?: CommittedBase | undefined };

/** A file with what both sides changed, or with a part of what the branch changed. */
export interface MixedFile {
  readonly kind: 'mixed';
  readonly bytes: Buffer;
  readonly mode: number;
  readonly expected: { readonly changed: bigint } | undefined;
  /** Undefined if the file is applied as a whole. */
  readonly rest?: {
    /** What the branch has after a part of it is applied: the version that it has, or another one. */
    readonly now: 'own' | { readonly bytes: Buffer; readonly mode: number };
    /** The SHA-256 of what the workspace has until then. */
    readonly over: string;
  };
}

/** Where the versions are. */
interface Places {
  readonly confinement: Confinement;
  /** The upper layer of the branch. */
  readonly upper: string;
  readonly bases: Bases;
  /** What both sides had in commits; undefined in a branch of a branch, whose commits are in several layers. */
  readonly merged: MergedCommits | undefined;
  /** Whether a branch that this one is based on has a version of an entry, so that this one did not see that of the workspace. */
  readonly isHidden: (change: PlannedEntry) => Promise<boolean>;
  readonly resolved: (change: PlannedEntry) => Resolution | undefined;
  /** Whether an entry of the workspace is as it was before a change that was taken back. */
  readonly isPutBack: (stat: BigIntStats) => boolean;
  /** Whether an entry is the one of an inode, or what an undo put in its place. */
  readonly isSame: (inode: string, stat: BigIntStats) => boolean;
  /** A folder of the workspace; undefined if there is none. */
  readonly folderStat: (folder: WorkspacePath) => BigIntStats | undefined;
  /** Changes from before the branch that were undone since. */
  readonly undone: readonly WorkspacePath[];
  readonly signal: AbortSignal;
}

/** A change with what is known of the entry from when the branch first changed it. */
interface Found {
  readonly places: Places;
  readonly upper: Confinement;
  readonly change: PlannedEntry;
  readonly known: KnownBase;
  /** The time, in nanoseconds, from which on a change of the workspace is one that the branch did not see. */
  readonly since: bigint;
  /** Whether what an undo put back counts as not changed. */
  readonly restored: boolean;
}

/** Decides for each change of a branch what becomes of it. */
export async function ruleChanges(given: Omit<Places, 'folderStat'>, changes: readonly PlannedEntry[]): Promise<Map<PlannedEntry, Ruling>> {
  using upper = new HandleConfinement(given.upper);
  const places = { ...given, folderStat: foldersIn(given.confinement) };
  const rest = turns(places.signal);
  const rulings = new Map<PlannedEntry, Ruling>();
  for (const change of changes) {
    await rest();
    rulings.set(change, await rule(places, upper, change));
  }
  return rulings;
}

/** Looks at each folder once. */
function foldersIn(confinement: Confinement): Places['folderStat'] {
  const known = new Map<string, BigIntStats | undefined>();
  return (location) => {
    const key = bytePath(location);
    if (!known.has(key)) known.set(key, read());
    return known.get(key);
    function read(): BigIntStats | undefined {
      try {
        using folder = confinement.openDirectory(location);
        return statSync(folder.self, { bigint: true });
      } catch (error) {
        if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
        return undefined;
      }
    }
  };
}

async function rule(places: Places, upper: Confinement, change: PlannedEntry): Promise<Ruling> {
  const resolution = places.resolved(change);
  if (resolution !== undefined) return asResolved(change, resolution);
  if (await isOlder(places, upper, change)) return { kind: 'workspace' };
  const known = places.bases.of(change.location);
  // Of what was hidden, the time of a change says nothing: the versions do.
  const seen = (await places.isHidden(change))
    ? { since: 0n, restored: false }
    : { since: known.since, restored: !isUndone(places, change.location) };
  const found: Found = { places, upper, change, known, ...seen };
  const { before } = change;
  if (before === undefined) return await ruleMissing(found);
  return ruleByTimes(found, before) ?? (await ruleByContent(found, before));
}

/** Whether the branch has a file as an older commit has it, which the workspace changed since. */
async function isOlder({ merged }: Places, upper: Confinement, change: PlannedEntry): Promise<boolean> {
  if (merged === undefined || change.isModeOnly) return false;
  return await merged.isOlder(change.location, () => (change.now === undefined ? null : asFile(readVersion(upper, change, change.now))));
}

/** What becomes of a change of what the workspace does not have. */
async function ruleMissing({ places, upper, change, known }: Found): Promise<Ruling> {
  const { location, now } = change;
  const ownVersion = (): Version | null => readVersion(upper, change, now)?.version ?? { type: 'other' };
  const committed = now?.isFile() === true ? await places.merged?.of(location, null) : undefined;
  if (committed !== undefined) {
    const branch = ownVersion();
    const { take } = decideFile({ base: committedVersion(committed, undefined, branch, null), branch, workspace: null });
    if (take === 'branch') return { kind: take, expected: undefined };
    return take === 'workspace' ? { kind: take } : conflict(change, committed);
  }
  // A branch that only read or rewrote what was deleted in the workspace has nothing to say about it.
  if (known.image === null || now?.isDirectory() === true)
    return places.bases.had(location) ? conflict(change) : { kind: 'branch', expected: undefined };
  const { take } = decideFile({ base: versionOf(known), branch: ownVersion(), workspace: null });
  return take === 'workspace' ? { kind: take } : conflict(change);
}

/** What inodes and times say about a change of what the workspace has; undefined if only the contents can say it. */
function ruleByTimes({ places, change, known, since, restored }: Found, before: BigIntStats): Ruling | undefined {
  const isOther = isOtherEntry(places, known, before) || (known.image === null && isInMoved(places, change.location, since));
  if (isOfFolder(change)) return isOther ? conflict(change) : { kind: 'branch', expected: { since, restored } };
  const expected = { changed: before.ctimeNs };
  if (before.ctimeNs < since && !isOther) return { kind: 'branch', expected, ...(known.image === null ? { unchangedSince: since } : {}) };
  const isAsSeen = (restored && places.isPutBack(before) && isOnlyPutBack(places, known, before)) || isSameEntry(known, before);
  return isAsSeen ? { kind: 'branch', expected } : undefined;
}

const modeOf = ({ image }: Found['known']): number | undefined => (image?.type === 'file' ? image.mode : undefined);

/** What the three versions say about a change of what the workspace has. */
async function ruleByContent({ places, upper, change, known, restored }: Found, before: BigIntStats): Promise<Ruling> {
  const { location, now } = change;
  const expected = { changed: before.ctimeNs };
  const [own, other] = [readVersion(upper, change, now), readVersion(places.confinement, change, before)];
  if (own === undefined || other === undefined) return conflict(change);
  if (restored && places.isPutBack(before) && isReplaced(known, other.version)) return { kind: 'branch', expected };
  const workspace = isSameLarge(places.confinement, upper, change) ? own.version : other.version;
  const committed = await places.merged?.of(location, other.bytes);
  const base = committed === undefined ? versionOf(known) : committedVersion(committed, modeOf(known), own.version, other.version);
  const decision = decideFile({ base, branch: own.version, workspace });
  if (decision.take === 'branch') return { kind: 'branch', expected };
  if (decision.take === 'workspace') return { kind: 'workspace' };
  // The files of a repository have a meaning together.
  if (decision.take !== 'mix' || repositoryOf(location) !== undefined) return conflict(change, committed);
  const sides = { base: baseBytes(places.bases, known, committed), branch: own.bytes, workspace: other.bytes };
  const bytes = decision.content === 'lines' ? await mergeAll(sides) : sides[decision.content];
  return bytes === undefined ? conflict(change, committed) : { kind: 'mixed', bytes, mode: decision.mode, expected };
}

/** Whether a change makes, deletes or replaces a folder. */
const isOfFolder = ({ before, now, isModeOnly }: PlannedEntry): boolean =>
  !isModeOnly && (before?.isDirectory() === true || now?.isDirectory() === true);

function baseBytes(bases: Bases, { image }: KnownBase, committed: CommittedBase | undefined): Buffer | undefined {
  if (committed !== undefined) return committed.bytes;
  return (image && bases.content(image)) ?? undefined;
}

/** What becomes of a change of which a person chose a version. */
function asResolved(change: PlannedEntry, { take, at }: Resolution): Ruling {
  const { before, now } = change;
  if (take === 'workspace') return { kind: 'workspace' };
  const expected = before === undefined ? undefined : { changed: before.ctimeNs };
  if (typeof take === 'object') return { kind: 'mixed', bytes: take, mode: Number((before ?? now)?.mode ?? 0o644n) & 0o777, expected };
  return { kind: 'branch', expected: isOfFolder(change) && before !== undefined ? { since: at, restored: false } : expected };
}

async function mergeAll({ base, branch, workspace }: Record<'base' | 'branch' | 'workspace', Buffer | undefined>): Promise<Buffer | undefined> {
  if (base === undefined || branch === undefined || workspace === undefined) return undefined;
  // Loaded on demand: most changes need no merge.
  const { mergeTexts } = await import('./merge-lines.ts');
  return await mergeTexts(base, branch, workspace);
}

/** Whether an entry, one around it, or one in it is in a state from before the branch that the branch did not see. */
function isUndone({ undone }: Places, location: WorkspacePath): boolean {
  const path = `${bytePath(location)}/`;
  return undone.some((other) => path.startsWith(`${bytePath(other)}/`) || `${bytePath(other)}/`.startsWith(path));
}

/**
 * Whether an entry that was put back is as it was when the branch first changed it: it may as well have a version that the workspace got later.
 * Where the base has a content, that is compared.
 */
const isOnlyPutBack = ({ isSame }: Places, { image, replaced }: KnownBase, stat: BigIntStats): boolean =>
  replaced === undefined && image !== null && image.content === null && isSame(image.inode, stat);

/** Whether a file that was put back is as it was before the workspace got a part of what the branch changed. */
const isReplaced = ({ replaced = [] }: KnownBase, found: Version | null): boolean => found?.type === 'file' && replaced.includes(found.content);

/** Whether the workspace had no entry or another one, whatever its times say: what a folder brings that is moved there keeps an earlier one. */
const isOtherEntry = ({ isSame }: Places, { image, wasMissing, replaced }: KnownBase, stat: BigIntStats): boolean =>
  wasMissing || (image !== null && replaced === undefined && image.inode !== NO_INODE && !isSame(image.inode, stat));

/**
 * Whether a folder around an entry of which nothing is noted was moved there since a time: that changes its ctime, and only what it contains
 * changes its mtime. An undo, or another program that sets the times of folders, looks the same.
 */
function isInMoved({ folderStat, bases }: Places, location: WorkspacePath, since: bigint): boolean {
  return foldersAround(location).some((folder) => {
    const stat = folderStat(folder);
    // Gone, or replaced right now.
    if (stat === undefined) return true;
    return stat.ctimeNs >= since && stat.mtimeNs < since && !bases.isBrought(folder, stat);
  });
}

const isSameEntry = ({ image }: KnownBase, stat: BigIntStats): boolean =>
  image !== null && image.inode === inodeOf(stat) && image.changed === String(stat.ctimeNs);

const conflict = (change: PlannedEntry, committed?: CommittedBase): Ruling => ({ kind: 'conflict', conflict: conflictOf(change), committed });

/** What both sides did with an entry that both changed. */
export function conflictOf({ path, before, now }: PlannedEntry): BranchConflict {
  return { path, branch: now === undefined ? 'deleted' : 'changed', workspace: before === undefined ? 'deleted' : 'changed' };
}

/** The version of the base: null if there was none, undefined if it is not known. */
function versionOf({ image, wasMissing }: KnownBase): Version | null | undefined {
  if (image === null) return wasMissing ? null : undefined;
  const { type, mode, content } = image;
  if (type === 'folder') return { type, mode };
  if (type === 'other' || content === null) return { type: 'other' };
  return type === 'link' ? { type, target: content } : { type, mode, content };
}
