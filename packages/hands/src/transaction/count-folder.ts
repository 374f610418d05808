import { readlinkSync, type BigIntStats, type PathLike } from 'node:fs';
import { posix } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './overlay-view.ts';
import type { PackageVersions } from './package-versions.ts';
import type { PlannedEntry } from './planned-entry.ts';
import { sameContent } from './change-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Set-id bits, and writable by every user: no package manager sets them. */
const UNUSUAL_MODE = 0o6002n;
/** Maximum bytes of a file that is compared. A larger one counts as altered. */
const MAX_COMPARED = 64n * 1024n * 1024n;
/** Maximum bytes of all files that are compared for one question: 2 s of reading at 128 MB/s. Beyond that, a folder counts as altered. */
export const MAX_COMPARED_IN_ALL = 256n * 1024n * 1024n;

/** The bytes that may still be compared for a question. */
export interface ComparedBytes {
  left: bigint;
}

/** What is needed to count the content of a change. */
interface Counting {
  readonly area: Pick<TransactionArea, 'upper'>;
  readonly views: Pick<ChangeViews, 'root' | 'whole'>;
  readonly versions: Pick<PackageVersions, 'mustStay'>;
  readonly signal: AbortSignal;
  /** The folder with which it is counted. */
  readonly folder: string;
  /** Matches one file in each package. */
  readonly mark: RegExp | undefined;
  /** Shared by all folders of the question. */
  readonly compared: ComparedBytes;
}

/** The number of packages in a change, and the entries that a person must see. */
export interface FolderCount {
  readonly packages: number;
  readonly seen: readonly WorkspacePath[];
  /** Whether a folder in place of another has a package of the same version with other content. */
  readonly isAltered: boolean;
}

/** Whether an entry of a folder that was made anew is the same as the one in its place before. */
function isAsBefore({ views: { whole }, compared }: Counting, location: WorkspacePath, at: PathLike, stat: BigIntStats): boolean {
  const name = location.at(-1);
  if (stat.isDirectory() || name === undefined) return true;
  try {
    using folder = whole.openDirectory(location.slice(0, -1));
    if (stat.isSymbolicLink()) return readlinkSync(folder.at(name), 'buffer').equals(readlinkSync(at, 'buffer'));
    if (!stat.isFile() || stat.size > MAX_COMPARED || stat.size > compared.left) return false;
    compared.left -= stat.size;
    return sameContent(at, folder.at(name));
  } catch (error) {
    // It was not there, or is of another type.
    if (errnoOf(error) === undefined && !(error instanceof SynapseError)) throw error;
    return false;
  }
}

/** Whether a link leads no further than a folder. */
function staysIn(folder: string, path: string, target: string): boolean {
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  return !target.startsWith('/') && (place === folder || place.startsWith(`${folder}/`));
}

/**
 * Counts the packages of a change, and finds links that lead out of the folder and unusual permissions. Of a folder in place of another,
 * only packages with another version count, and the others must have the content that they had. The first that has not ends the count.
 */
export async function countFolder(change: PlannedEntry, counting: Counting): Promise<FolderCount> {
  const { area, views, folder, mark, versions, signal } = counting;
  const isGone = change.now === undefined;
  const isReplaced = change.kind === 'changed' && change.type === 'directory' && change.before?.isDirectory() === true;
  using cursor = isGone ? new TreeCursor(views.root.self, { standIn: views.root.standIn }) : new TreeCursor(area.upper, { owned: true });
  for (const part of change.location.slice(0, -1)) cursor.enter(part);
  const seen: WorkspacePath[] = [];
  let packages = 0;
  let isAltered = false;
  const look = (name: Name, stat: BigIntStats): void => {
    const location = [...cursor.location, name];
    const path = displayPath(location);
    const isLink = stat.isSymbolicLink();
    const isCompared = isReplaced && versions.mustStay(location, { isLink, replaced: change.path, top: folder });
    if (!isCompared && change.kind !== 'metadata' && mark?.test(path) === true) packages += 1;
    if (isGone) return;
    const leaves = isLink && !staysIn(folder, path, displayPath([nameFromBytes(readlinkSync(cursor.at(name), 'buffer'))]));
    if (leaves || (!isLink && (stat.mode & UNUSUAL_MODE) !== 0n)) seen.push(location);
    isAltered ||= isCompared && !isAsBefore(counting, location, cursor.at(name), stat);
  };
  const last = change.location.at(-1);
  if (last === undefined) return { packages, seen, isAltered };
  const stat = change.now ?? change.before;
  if (stat !== undefined) look(last, stat);
  if (change.type === 'directory') {
    cursor.enter(last);
    await visitTree(cursor, look, signal, () => isAltered);
  }
  return { packages, seen, isAltered };
}
