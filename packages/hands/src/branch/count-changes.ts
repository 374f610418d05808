import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { PERMISSIONS, sameContent } from '../transaction/change-entry.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { cloneBelow, type BranchFolder } from './branch-folder.ts';
import { changesOfClone, type CloneChange } from '../transaction/clone-changes.ts';
import { CloneManifest } from './clone-manifest.ts';
import { emptiedFolders } from './emptied-folders.ts';

/**
 * Counts the entries that a branch changed, without judging them: a commit is one change, whatever git wrote for it, and so is a folder that was
 * deleted or emptied. A new folder counts if nothing in it does.
 */
export function countChanges(folder: BranchFolder): number {
  const { files, repositories } = changesIn(folder);
  return files + repositories;
}

type Location = readonly Name[];

/** Numbers of changes. */
interface Changes {
  readonly files: number;
  readonly repositories: number;
}

/** The same, with changes of repositories apart. */
export function changesIn(folder: BranchFolder): Changes {
  const manifest = CloneManifest.of(folder);
  return manifest === undefined ? changesInLayer(folder) : changesInClone(folder, manifest);
}

function changesInLayer(folder: BranchFolder): Changes {
  const below = [...folder.layers, folder.lower].map((path) => join(path, '.'));
  const changed: Location[] = [];
  const [made, standing]: [Location[], Location[]] = [[], []];
  // While it is applied, its layer is elsewhere.
  const layer = existsSync(folder.applying) && !existsSync(folder.upper) ? join(readFileSync(folder.applying, 'utf8'), 'upper') : folder.upper;
  using cursor = new TreeCursor(layer, { owned: true });
  visitTreeSync(cursor, (name, stat) => {
    const location = [...cursor.location, name];
    if (!stat.isDirectory()) {
      if (!isAsBelow(below, location, cursor.at(name), stat)) changed.push(location);
      return;
    }
    const before = below.map((each) => lookAt(joinNames(each, location))).find((each) => each !== undefined);
    if (before?.isDirectory() !== true) made.push(location);
    else if (!hasSamePermissions(before, stat)) changed.push(location);
    else if (hasMore(below, layer, location)) standing.push(location);
  });
  changed.push(...emptiedFolders(layer, standing));
  return counted([...changed, ...emptyOnes(made, changed)]);
}

/** Whether layers have a name in a folder that the topmost does not have there. */
function hasMore(below: readonly string[], layer: string, location: Location): boolean {
  const own = new Set(namesIn(joinNames(layer, location)));
  return below.some((each) => namesIn(joinNames(each, location)).some((name) => !own.has(name)));
}

/** Those of the new folders in which nothing else counts. Git takes no note of an empty folder in its own. */
function emptyOnes(made: readonly Location[], changed: readonly Location[]): Location[] {
  const around = new Set<string>();
  const note = (location: Location): void => {
    for (let depth = 1; depth < location.length; depth += 1) around.add(bytePath(location.slice(0, depth)));
  };
  changed.forEach(note);
  // The deepest first.
  return made.toReversed().filter((location) => {
    const isEmpty = !around.has(bytePath(location)) && !location.includes('.git');
    if (isEmpty) note(location);
    return isEmpty;
  });
}

function changesInClone(folder: BranchFolder, manifest: CloneManifest): Changes {
  const below = [join(cloneBelow(folder)?.clone ?? folder.lower, '.')];
  const changes = changesOfClone(folder.clone, manifest.entries, (location, at, stat) => !isAsBelow(below, location, at, stat));
  const before = (location: Location): BigIntStats | undefined => lookAt(joinNames(below[0] ?? '', location));
  const isMade = ({ location, now }: CloneChange): boolean => now?.isDirectory() === true && before(location)?.isDirectory() !== true;
  const { made = [], others = [] } = Object.groupBy(changes.values(), (change) => (isMade(change) ? 'made' : 'others'));
  const changed = others.filter(({ location, now }) => now !== undefined || before(location) !== undefined).map(({ location }) => location);
  const folders = made.map(({ location }) => location);
  return counted([...changed, ...emptyOnes(folders, changed)]);
}

function counted(changed: readonly Location[]): Changes {
  const repositories = new Set<string>();
  let files = 0;
  for (const location of changed) {
    const git = location.indexOf('.git');
    if (git === -1 || git === location.length - 1) files += 1;
    else repositories.add(location.slice(0, git).join('/'));
  }
  return { files, repositories: repositories.size };
}

/** Whether an entry is the same as in the layers below, such as a file that was changed and changed back. */
function isAsBelow(layers: readonly string[], location: readonly Name[], at: string | Buffer, now: BigIntStats): boolean {
  for (const layer of layers) {
    const place = joinNames(layer, location);
    const before = lookAt(place);
    if (before === undefined) continue;
    if (before.isDirectory() && now.isDirectory()) return hasSamePermissions(before, now);
    if (before.isSymbolicLink() && now.isSymbolicLink()) return readlinkSync(at, 'buffer').equals(readlinkSync(place, 'buffer'));
    return before.isFile() && now.isFile() && before.mode === now.mode && before.size === now.size && sameContent(at, place);
  }
  // Marked as deleted, and not there.
  return now.isCharacterDevice();
}

const hasSamePermissions = (one: BigIntStats, other: BigIntStats): boolean => (one.mode & PERMISSIONS) === (other.mode & PERMISSIONS);

/** The names in a folder, one character for each byte; none if it cannot be read. */
function namesIn(folder: string | Buffer): string[] {
  try {
    return readdirSync(folder, 'latin1');
  } catch {
    return [];
  }
}

function lookAt(place: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way is none, so the entry is not there.
    return undefined;
  }
}
