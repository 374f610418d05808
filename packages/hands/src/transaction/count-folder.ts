import { readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { visitTree } from '../workspace/visit-tree.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './change-views.ts';
import type { PlannedEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Set-id bits, and writable by every user: no package manager sets them. */
const UNUSUAL_MODE = 0o6002n;

/** What is needed to count the content of a change. */
interface Counting {
  readonly area: TransactionArea;
  readonly views: Pick<ChangeViews, 'root'>;
  /** The folder with which it is counted. */
  readonly folder: string;
  /** Matches one file in each package. */
  readonly mark: RegExp | undefined;
}

/** The number of packages in a change, and the entries that a person must see. */
interface FolderCount {
  readonly packages: number;
  readonly seen: readonly WorkspacePath[];
}

/** Whether a link leads no further than a folder. */
function staysIn(folder: string, path: string, target: string): boolean {
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  return !target.startsWith('/') && (place === folder || place.startsWith(`${folder}/`));
}

/** Counts the packages of a change, and finds links that lead out of the folder and unusual permissions. */
export async function countFolder(change: PlannedEntry, { area, views, folder, mark }: Counting): Promise<FolderCount> {
  const isGone = change.now === undefined;
  using cursor = isGone ? new TreeCursor(views.root.self, { standIn: views.root.standIn }) : new TreeCursor(area.upper, { owned: true });
  for (const part of change.location.slice(0, -1)) cursor.enter(part);
  const seen: WorkspacePath[] = [];
  let packages = 0;
  const look = (name: Name, mode: bigint, isLink: boolean): void => {
    const location = [...cursor.location, name];
    const path = displayPath(location);
    if (mark?.test(path) === true) packages += 1;
    if (isGone) return;
    const leaves = isLink && !staysIn(folder, path, displayPath([nameFromBytes(readlinkSync(cursor.at(name), 'buffer'))]));
    if (leaves || (!isLink && (mode & UNUSUAL_MODE) !== 0n)) seen.push(location);
  };
  const last = change.location.at(-1);
  if (last === undefined) return { packages, seen };
  const stat = change.now ?? change.before;
  if (stat !== undefined) look(last, stat.mode, change.type === 'link');
  if (change.type === 'directory') {
    cursor.enter(last);
    await visitTree(cursor, (name, below) => look(name, below.mode, below.isSymbolicLink()), new AbortController().signal);
  }
  return { packages, seen };
}
