import { readlinkSync } from 'node:fs';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { looksBinary } from '../text/detect-encoding.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { displayName, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { readBranch, type BranchParts } from './apply-branch.ts';
import { Bases, contentAt, type KnownBase } from './base-log.ts';
import type { BranchConflict } from './branch-conflict.ts';
import type { StoredBranch } from './branch-store.ts';
import { plain } from './choose-changes.ts';
import { conflictPlaces, type ConflictPlace } from './conflict-places.ts';
import type { CommittedBase } from './merged-commits.ts';

/** One of three versions of an entry: a text, or what else it is. */
export interface ConflictVersion {
  /** Such as `12 lines`, `deleted`, or `binary, 3 KB`. */
  readonly what: string;
  readonly isText: boolean;
}

/** A version with its text, if it is one. */
export interface ReadVersion extends ConflictVersion {
  readonly text?: string;
}

const other = (what: string): ReadVersion => ({ what, isText: false });
const link = (target: Buffer): ReadVersion => other(`a link to ${displayName(nameFromBytes(target))}`);
const MISSING = { what: 'does not exist', isText: true, text: '' } as const;
const UNKNOWN = other('not known, because what changed it in the branch was not recorded');

const CLOSED = other('not shown, as reading it is not allowed');

function mayRead({ guards }: Pick<BranchParts, 'guards'>, { location }: PlannedEntry): boolean {
  try {
    guards.read(location);
    return true;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return false;
  }
}

function ofBytes(bytes: Buffer): ReadVersion {
  const text = bytes.toString('utf8');
  if (looksBinary(bytes)) return other(`binary, ${size(bytes.length)}`);
  return Buffer.from(text).equals(bytes)
    ? { what: `text, ${size(bytes.length)}`, isText: true, text }
    : other(`no text in UTF-8, ${size(bytes.length)}`);
}

function readSide(side: Confinement, { location }: PlannedEntry, stat: PlannedEntry['now']): ReadVersion {
  if (stat === undefined) return MISSING;
  if (stat.isDirectory()) return other('a folder');
  using folder = side.openDirectory(location.slice(0, -1));
  const name = location.at(-1) ?? '';
  if (stat.isSymbolicLink()) return link(readlinkSync(folder.at(name), 'buffer'));
  if (!stat.isFile()) return other('a pipe, a socket or a device');
  const bytes = contentAt(folder, name, location, stat)?.bytes;
  return bytes === undefined ? other(`a file of ${size(Number(stat.size))}`) : ofBytes(bytes);
}

function readBase(bases: Bases, { image, wasMissing }: KnownBase): ReadVersion {
  if (image === null) return wasMissing ? MISSING : UNKNOWN;
  if (image.type === 'folder') return other('a folder');
  if (image.type === 'link') return link(Buffer.from(image.content ?? '', 'latin1'));
  const bytes = image.type === 'file' ? bases.content(image) : undefined;
  return bytes === undefined ? other('a file whose content was not kept') : ofBytes(bytes);
}

const ofCommit = ({ bytes }: CommittedBase): ReadVersion => (bytes === undefined ? MISSING : ofBytes(bytes));

/** The lines of a text, with their ends. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/u));

/** A conflict, with what is to be applied of it. */
export interface FoundConflict {
  readonly conflict: BranchConflict;
  readonly change: PlannedEntry;
  /** The upper layer of the branch. */
  readonly upper: string;
  /** What both sides had of it in a commit, if they went on from there. */
  readonly committed: CommittedBase | undefined;
}

/** @throws SynapseError `not_found` if there is no such conflict */
export async function findConflict(parts: BranchParts, stored: StoredBranch, given: string): Promise<FoundConflict> {
  const [path = ''] = plain([given]);
  const { open, conflicts, committed } = await readBranch(parts, stored);
  const conflict = conflicts.find((one) => one.path === path);
  const change = open.read.changes.find((one) => one.path === path);
  if (conflict !== undefined && change !== undefined)
    return { conflict, change, upper: open.area.upper, committed: committed.get(bytePath(change.location)) };
  const names = conflicts.slice(0, 20).map((one) => one.path);
  throw new SynapseError('not_found', `No conflict: ${path}`, {
    hint: `The conflicts are ${names.join(', ') || 'none: the branch can be applied'}.`,
  });
}

/** The versions of a conflict: the one that the branch began with, that of the branch, and that of the workspace. */
export type ThreeVersions = Readonly<Record<'base' | 'branch' | 'workspace', ReadVersion>>;

/** Reads the versions of a conflict, as far as the rules let it. */
export function readVersions(parts: BranchParts, stored: StoredBranch, { change, upper, committed }: FoundConflict): ThreeVersions {
  if (!mayRead(parts, change)) return { base: CLOSED, branch: CLOSED, workspace: CLOSED };
  using own = new HandleConfinement(upper);
  const bases = new Bases(stored.folder.state, BigInt(stored.record.startedAt));
  return {
    base: committed === undefined ? readBase(bases, bases.of(change.location)) : ofCommit(committed),
    branch: readSide(own, change, change.now),
    workspace: readSide(parts.confinement, change, change.before),
  };
}

/** The places in which texts differ, and the lines of the base. */
export interface ConflictPlaces {
  readonly base: readonly string[];
  readonly places: readonly ConflictPlace[];
}

/** Where the versions differ; undefined if one of them is no text, or if they differ too much to be compared. */
export function placesIn({ base, branch, workspace }: ThreeVersions): ConflictPlaces | undefined {
  if (base.text === undefined || branch.text === undefined || workspace.text === undefined) return undefined;
  const lines = linesOf(base.text);
  const places = conflictPlaces(lines, linesOf(branch.text), linesOf(workspace.text));
  return places === undefined ? undefined : { base: lines, places };
}

/** The same, if both sides have lines: where one of them deleted the file, there is nothing to merge. */
export function mergedIn({ before, now }: PlannedEntry, versions: ThreeVersions): ConflictPlaces | undefined {
  return before === undefined || now === undefined ? undefined : placesIn(versions);
}
