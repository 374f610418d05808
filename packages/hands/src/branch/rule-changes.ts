import { readlinkSync, statSync, type BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { sameContent } from '../transaction/change-entry.ts';
import { repositoryOf, type Expected } from '../transaction/plan-changes.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { inodeOf } from '../workspace/changes/step.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import { turns } from '../workspace/tree-cursor.ts';
import type { BranchConflict } from './branch-conflict.ts';
import type { CommittedFile } from './commit-store.ts';
import { contentAt, MAX_MERGED_BYTES, NO_INODE, type Bases, type KnownBase } from './base-log.ts';
import { decideFile, type Version } from './decide-file.ts';
import { committedVersion, isProgram, type CommittedBase, type MergedCommits } from './merged-commits.ts';
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

/** An entry with its bytes, if a merge can use them. */
interface ReadVersion {
  readonly version: Version | null;
  readonly bytes?: Buffer | undefined;
}

const modeOf = ({ mode }: BigIntStats): number => Number(mode) & 0o7777;

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
  const { location, before, now, isModeOnly } = change;
  const { bases, isPutBack } = places;
  const resolution = places.resolved(change);
  if (resolution !== undefined) return asResolved(change, resolution);
  const ownFile = (): CommittedFile | null | undefined => (now === undefined ? null : asFile(read(upper, change, now)));
  if (!isModeOnly && (await places.merged?.isOlder(location, ownFile)) === true) return { kind: 'workspace' };
  const known = bases.of(location);
  const isHidden = await places.isHidden(change);
  // Of what was hidden, the time of a change says nothing: the versions do.
  const [since, restored] = isHidden ? [0n, false] : [known.since, !isUndone(places, location)];
  if (before === undefined) {
    const committed = now?.isFile() === true ? await places.merged?.of(location, null) : undefined;
    if (committed !== undefined) {
      const branch = read(upper, change, now)?.version ?? { type: 'other' };
      const { take } = decideFile({ base: committedVersion(committed, undefined, branch, null), branch, workspace: null });
      return take === 'workspace' ? { kind: take } : take === 'branch' ? { kind: take, expected: undefined } : conflict(change, committed);
    }
    // A branch that only read or rewrote what was deleted in the workspace has nothing to say about it.
    if (known.image === null || now?.isDirectory() === true) return bases.had(location) ? conflict(change) : { kind: 'branch', expected: undefined };
    const own = read(upper, change, now);
    return decideFile({ base: versionOf(known), branch: own?.version ?? { type: 'other' }, workspace: null }).take === 'workspace'
      ? { kind: 'workspace' }
      : conflict(change);
  }
  const isOther = isOtherEntry(places, known, before) || (known.image === null && isInMoved(places, location, since));
  if (!isModeOnly && (before.isDirectory() || now?.isDirectory() === true))
    return isOther ? conflict(change) : { kind: 'branch', expected: { since, restored } };
  const expected = { changed: before.ctimeNs };
  if (before.ctimeNs < since && !isOther) return { kind: 'branch', expected, ...(known.image === null ? { unchangedSince: since } : {}) };
  if ((restored && isPutBack(before) && isOnlyPutBack(places, known, before)) || isSameEntry(known, before)) return { kind: 'branch', expected };
  const [own, other] = [read(upper, change, now), read(places.confinement, change, before)];
  if (own === undefined || other === undefined) return conflict(change);
  if (restored && isPutBack(before) && isReplaced(known, other.version)) return { kind: 'branch', expected };
  const large = sameLarge(places, upper, change);
  const committed = await places.merged?.of(location, other.bytes);
  const mode = known.image?.type === 'file' ? known.image.mode : undefined;
  const base = committed === undefined ? versionOf(known) : committedVersion(committed, mode, own.version, other.version);
  const decision = decideFile({ base, branch: own.version, workspace: large ? own.version : other.version });
  if (decision.take === 'branch') return { kind: 'branch', expected };
  if (decision.take === 'workspace') return { kind: 'workspace' };
  // The files of a repository have a meaning together.
  if (decision.take !== 'mix' || repositoryOf(location) !== undefined) return conflict(change, committed);
  const baseBytes = committed === undefined ? known.image && bases.content(known.image) : committed.bytes;
  const sides = { base: baseBytes ?? undefined, branch: own.bytes, workspace: other.bytes };
  const bytes = decision.content === 'lines' ? await mergeAll(sides) : sides[decision.content];
  return bytes === undefined ? conflict(change, committed) : { kind: 'mixed', bytes, mode: decision.mode, expected };
}

/** What becomes of a change of which a person chose a version. */
function asResolved({ before, now, isModeOnly }: PlannedEntry, { take, at }: Resolution): Ruling {
  if (take === 'workspace') return { kind: 'workspace' };
  const expected = before === undefined ? undefined : { changed: before.ctimeNs };
  if (typeof take === 'object') return { kind: 'mixed', bytes: take, mode: Number((before ?? now)?.mode ?? 0o644n) & 0o777, expected };
  const isFolder = !isModeOnly && (before?.isDirectory() === true || now?.isDirectory() === true);
  return { kind: 'branch', expected: isFolder && before !== undefined ? { since: at, restored: false } : expected };
}

function asFile(found: ReadVersion | undefined): CommittedFile | undefined {
  const { version, bytes } = found ?? {};
  return version?.type === 'file' && bytes !== undefined ? { bytes, isExecutable: isProgram(version.mode) } : undefined;
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

/** One side of a change; undefined if it cannot be read, or changes right now. */
function read(side: Confinement, { location }: PlannedEntry, stat: BigIntStats | undefined): ReadVersion | undefined {
  if (stat === undefined) return { version: null };
  if (stat.isDirectory()) return { version: { type: 'folder', mode: modeOf(stat) } };
  try {
    using folder: PinnedDirectory = side.openDirectory(location.slice(0, -1));
    const name = location.at(-1) ?? '';
    if (stat.isSymbolicLink()) return { version: { type: 'link', target: readlinkSync(folder.at(name), 'latin1') } };
    if (!stat.isFile()) return { version: { type: 'other' } };
    const found = contentAt(folder, name, location, stat);
    if (found === undefined) return undefined;
    const content = found.content ?? `inode ${inodeOf(stat)}`;
    return { version: { type: 'file', mode: modeOf(stat), content }, bytes: found.bytes };
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/** Whether both sides are the same file, which is too large to be read as a whole. */
function sameLarge({ confinement }: Places, upper: Confinement, { location, before, now }: PlannedEntry): boolean {
  if (before?.isFile() !== true || now?.isFile() !== true || now.size <= MAX_MERGED_BYTES || before.size !== now.size || before.mode !== now.mode)
    return false;
  const [parent, name] = [location.slice(0, -1), location.at(-1) ?? ''];
  using own = upper.openDirectory(parent);
  using other = confinement.openDirectory(parent);
  return sameContent(own.at(name), other.at(name));
}
