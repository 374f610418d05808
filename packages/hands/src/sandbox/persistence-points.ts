import { lstatSync } from 'node:fs';
import { ordersIn } from '../danger/executable-git-config.ts';
import { executionTargets } from '../danger/execution-targets.ts';
import { linkedPlaces } from '../danger/linked-places.ts';
import { throughLinks, type NamedPlace } from '../danger/link-route.ts';
import { foldBytes, protectedEntry } from '../danger/protected-places.ts';
import { replacementsIn } from '../danger/replaced-objects.ts';
import { join, nameOf, parentOf, type TreeView } from '../danger/tree-view.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Survey } from './denied-path-index.ts';

/** Why a path is watched: its content is judged after a change, or a rule denies writing it. */
export type PersistenceKind = 'order' | 'locked';

/** A file that another program executes or reads as configuration, in its current state. */
export interface PersistencePoint {
  /** Relative to the root; each character stands for one byte (latin1). */
  readonly path: string;
  readonly kind: PersistenceKind;
  /** Differs after every change: no program can set a ctime. */
  readonly stamp: string;
}

/** Existing paths that a repository's configuration names; for a folder, its files. */
function namedBy(view: TreeView, rootPath: string, workTree: string): string[] {
  return filesOf(view, throughLinks(view, rootPath, executionTargets(view, rootPath, workTree, false)));
}

function filesOf(view: TreeView, named: readonly NamedPlace[]): string[] {
  return named.flatMap(({ path }) => view.names(path)?.map((name) => join(path, name)) ?? [path]).filter((path) => view.type(path) !== undefined);
}

/** What shows other objects for those that were committed. The list of packed references stays: all others are in it. */
function ownReplacements(view: TreeView, folder: string): string[] {
  return replacementsIn(view, folder).filter((path) => nameOf(path) !== 'packed-refs');
}

/**
 * Finds the persistence points in the whole workspace.
 *
 * @param outside what configurations outside the workspace name in it
 */
export function persistencePoints(
  root: PinnedDirectory,
  view: TreeView,
  rootPath: string,
  { findings }: Survey,
  outside: readonly NamedPlace[],
): PersistencePoint[] {
  const places = new Map<string, PersistencePoint>();
  const add = (path: string, kind: PersistenceKind): void => {
    const stat = lstatSync(Buffer.from(`${root.self}/${path}`, 'latin1'), { throwIfNoEntry: false });
    if (stat !== undefined) places.set(`${kind}/${path}`, { path, kind, stamp: `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` });
  };
  for (const named of filesOf(view, throughLinks(view, rootPath, outside))) add(named, 'order');
  const holders = new Set<string>();
  for (const { path, kind, behindLink } of findings) {
    // An existing folder under another name: a command that creates such a link would get the folder quarantined.
    if (behindLink !== undefined) continue;
    // Some files are both: `.npmrc` contains keys and names programs.
    if (kind === 'denied' && protectedEntry(path) !== undefined) add(path, 'order');
    if (kind === 'protected' || kind === 'git-pointer') add(path, 'order');
    if (kind === 'locked' && path !== '') add(path, 'locked');
    if (kind === 'protected' || (kind === 'git-folder' && nameOf(path) === '.git')) holders.add(parentOf(path));
    if (kind !== 'git-folder' && kind !== 'git-pointer') continue;
    for (const named of namedBy(view, rootPath, foldBytes(nameOf(path)) === '.git' ? parentOf(path) : path)) add(named, 'order');
    if (kind !== 'git-folder') continue;
    for (const order of [...ordersIn(view, path), ...ownReplacements(view, path)]) add(order, 'order');
  }
  for (const folder of holders)
    for (const linked of filesOf(view, throughLinks(view, rootPath, linkedPlaces(view, rootPath, folder)))) add(linked, 'order');
  return [...places.values()];
}
