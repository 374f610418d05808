import { existsSync, lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { sameContent } from '../transaction/change-entry.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { cloneBelow, type BranchFolder } from './branch-folder.ts';
import { changesOfClone } from '../transaction/clone-changes.ts';
import { CloneManifest } from './clone-manifest.ts';

/**
 * Counts the entries that a branch changed, without judging them: a commit is one change, whatever git wrote for it, and so is a deleted
 * folder.
 */
export function countChanges(folder: BranchFolder): number {
  const { files, repositories } = changesIn(folder);
  return files + repositories;
}

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
  const changed: Array<readonly Name[]> = [];
  // While it is applied, its layer is elsewhere.
  const layer = existsSync(folder.applying) && !existsSync(folder.upper) ? join(readFileSync(folder.applying, 'utf8'), 'upper') : folder.upper;
  using cursor = new TreeCursor(layer, { owned: true });
  visitTreeSync(cursor, (name, stat) => {
    const location = [...cursor.location, name];
    if (!stat.isDirectory() && !isAsBelow(below, location, cursor.at(name), stat)) changed.push(location);
  });
  return counted(changed);
}

function changesInClone(folder: BranchFolder, manifest: CloneManifest): Changes {
  const below = [join(cloneBelow(folder)?.clone ?? folder.lower, '.')];
  const changes = changesOfClone(folder.clone, manifest.entries, (location, at, stat) => !isAsBelow(below, location, at, stat));
  const changed = [...changes.values()].filter(({ location, now }) =>
    now === undefined ? lookAt(joinNames(below[0] ?? '', location)) : !now.isDirectory(),
  );
  return counted(changed.map(({ location }) => location));
}

function counted(changed: ReadonlyArray<readonly Name[]>): Changes {
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
    if (before.isSymbolicLink() && now.isSymbolicLink()) return readlinkSync(at, 'buffer').equals(readlinkSync(place, 'buffer'));
    return before.isFile() && now.isFile() && before.mode === now.mode && before.size === now.size && sameContent(at, place);
  }
  // Marked as deleted, and not there.
  return now.isCharacterDevice();
}

function lookAt(place: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way is none, so the entry is not there.
    return undefined;
  }
}
