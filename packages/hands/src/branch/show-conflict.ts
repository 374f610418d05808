import { readlinkSync } from 'node:fs';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { looksBinary } from '../text/detect-encoding.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { displayName, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { readBranch, type BranchParts } from './apply-branch.ts';
import { Bases, contentAt, type KnownBase } from './base-log.ts';
import type { BranchConflict } from './branch-conflict.ts';
import type { StoredBranch } from './branch-store.ts';
import { plain } from './choose-changes.ts';
import { conflictPlaces, markConflicts, type ConflictPlace } from './conflict-places.ts';

/** Maximum characters of all places together. */
const MAX_SHOWN = 200_000;

/** One of three versions of an entry: a text, or what else it is. */
export interface ConflictVersion {
  /** Such as `12 lines`, `deleted`, or `binary, 3 KB`. */
  readonly what: string;
  readonly isText: boolean;
}

/** A conflict with its three versions. */
export interface ShownConflict extends BranchConflict {
  readonly versions: { readonly base: ConflictVersion; readonly branch: ConflictVersion; readonly workspace: ConflictVersion };
  /** The places in which the versions differ; empty if one of them is no text. */
  readonly places: readonly ConflictPlace[];
  /** Number of places that are not listed. */
  readonly more: number;
  /** The text with marks of all versions where both sides changed it, as git writes them; undefined if one of them is no text. */
  readonly marked?: string;
}

interface Read extends ConflictVersion {
  readonly text?: string;
}

const other = (what: string): Read => ({ what, isText: false });
const link = (target: Buffer): Read => other(`a link to ${displayName(nameFromBytes(target))}`);
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

function ofBytes(bytes: Buffer): Read {
  const text = bytes.toString('utf8');
  if (looksBinary(bytes)) return other(`binary, ${size(bytes.length)}`);
  return Buffer.from(text).equals(bytes)
    ? { what: `text, ${size(bytes.length)}`, isText: true, text }
    : other(`no text in UTF-8, ${size(bytes.length)}`);
}

function readSide(side: Confinement, { location }: PlannedEntry, stat: PlannedEntry['now']): Read {
  if (stat === undefined) return MISSING;
  if (stat.isDirectory()) return other('a folder');
  using folder = side.openDirectory(location.slice(0, -1));
  const name = location.at(-1) ?? '';
  if (stat.isSymbolicLink()) return link(readlinkSync(folder.at(name), 'buffer'));
  if (!stat.isFile()) return other('a pipe, a socket or a device');
  const bytes = contentAt(folder, name, location, stat)?.bytes;
  return bytes === undefined ? other(`a file of ${size(Number(stat.size))}`) : ofBytes(bytes);
}

function readBase(bases: Bases, { image, wasMissing }: KnownBase): Read {
  if (image === null) return wasMissing ? MISSING : UNKNOWN;
  if (image.type === 'folder') return other('a folder');
  if (image.type === 'link') return link(Buffer.from(image.content ?? '', 'latin1'));
  const bytes = image.type === 'file' ? bases.content(image) : undefined;
  return bytes === undefined ? other('a file whose content was not kept') : ofBytes(bytes);
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/u));

/**
 * Shows a conflict with the version that the branch began with, that of the branch, and that of the workspace.
 *
 * @throws SynapseError `not_found` if there is no such conflict
 */
export async function showConflict(parts: BranchParts, stored: StoredBranch, given: string): Promise<ShownConflict> {
  const [path = ''] = plain([given]);
  const { open, conflicts } = await readBranch(parts, stored);
  const conflict = conflicts.find((one) => one.path === path);
  const change = open.read.changes.find((one) => one.path === path);
  if (conflict === undefined || change === undefined) {
    throw new SynapseError('not_found', `No conflict: ${path}`, {
      hint: `The conflicts are ${
        conflicts
          .slice(0, 20)
          .map((one) => one.path)
          .join(', ') || 'none: the branch can be applied'
      }.`,
    });
  }
  if (!mayRead(parts, change)) return { ...conflict, versions: { base: CLOSED, branch: CLOSED, workspace: CLOSED }, places: [], more: 0 };
  using upper = new HandleConfinement(open.area.upper);
  const bases = new Bases(stored.folder.state, BigInt(stored.record.startedAt));
  const read = {
    base: readBase(bases, bases.of(change.location)),
    branch: readSide(upper, change, change.now),
    workspace: readSide(parts.confinement, change, change.before),
  };
  const told = ({ what, isText }: Read): ConflictVersion => ({ what, isText });
  const versions = { base: told(read.base), branch: told(read.branch), workspace: told(read.workspace) };
  return { ...conflict, versions, ...placesOf(read) };
}

function placesOf({ base, branch, workspace }: Record<'base' | 'branch' | 'workspace', Read>): Pick<ShownConflict, 'places' | 'more' | 'marked'> {
  const texts = [base.text, branch.text, workspace.text].map((text) => (text === undefined ? undefined : linesOf(text)));
  const [old, own, now] = texts;
  const places = old === undefined || own === undefined || now === undefined ? undefined : conflictPlaces(old, own, now);
  if (places === undefined) return { places: [], more: 0 };
  let room = MAX_SHOWN;
  const shown = places.filter(({ before, after, ...place }) => {
    const lines = [before, after, place.base.lines, place.branch.lines, place.workspace.lines].flat();
    room -= lines.reduce((sum, line) => sum + line.length, 0);
    return room >= 0;
  });
  return { places: shown, more: places.length - shown.length, marked: markConflicts(old ?? [], places) };
}
