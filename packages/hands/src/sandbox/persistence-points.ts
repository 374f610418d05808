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

type Found = Pick<Survey['findings'][number], 'path' | 'kind'>;

/** Whether an entry is one of those that other programs obey. Some files are both: `.npmrc` contains keys and names programs. */
const isOrder = ({ path, kind }: Found): boolean =>
  kind === 'protected' || kind === 'git-pointer' || (kind === 'denied' && protectedEntry(path) !== undefined);
const isHeld = ({ path, kind }: Found): boolean => kind === 'protected' || (kind === 'git-folder' && nameOf(path) === '.git');

/** What a repository, or what leads to one, names. */
function* ordersOf(view: TreeView, rootPath: string, { path, kind }: Found): Iterable<string> {
  if (kind !== 'git-folder' && kind !== 'git-pointer') return;
  yield* namedBy(view, rootPath, foldBytes(nameOf(path)) === '.git' ? parentOf(path) : path);
  if (kind === 'git-folder') yield* [...ordersIn(view, path), ...ownReplacements(view, path)];
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
  for (const finding of findings) {
    const { path, kind, behindLink } = finding;
    // An existing folder under another name: a command that creates such a link would get the folder quarantined.
    if (behindLink !== undefined) continue;
    if (isOrder(finding)) add(path, 'order');
    if (kind === 'locked' && path !== '') add(path, 'locked');
    if (isHeld(finding)) holders.add(parentOf(path));
    for (const order of ordersOf(view, rootPath, finding)) add(order, 'order');
  }
  for (const folder of holders)
    for (const linked of filesOf(view, throughLinks(view, rootPath, linkedPlaces(view, rootPath, folder)))) add(linked, 'order');
  return [...places.values()];
}
