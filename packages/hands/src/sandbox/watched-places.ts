import { lstatSync } from 'node:fs';
import { ordersIn } from '../danger/git-orders.ts';
import { configurationsOf } from '../danger/git-pointer.ts';
import { namedPlaces } from '../danger/named-places.ts';
import { protectedEntry } from '../danger/protected-places.ts';
import { join, nameOf, parentOf, type TreeView } from '../danger/tree-view.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Survey } from './workspace-index.ts';

/** Why a place is watched: what is found in it is judged, and where a rule denies writing there is nothing to judge. */
export type WatchedKind = 'order' | 'locked';

/** A place that another program executes or takes orders from, as it is now. */
export interface WatchedPlace {
  /** Relative to the root; one character stands for one byte (latin1). */
  readonly path: string;
  readonly kind: WatchedKind;
  /** Differs after any change: no program can set a ctime. */
  readonly stamp: string;
}

/** What the configuration of the repository of a folder names, as far as it exists; the files in what is a folder. */
function namedBy(view: TreeView, rootPath: string, workTree: string): string[] {
  const named = configurationsOf(view, rootPath, workTree).flatMap((file) => namedPlaces(view, rootPath, file, workTree));
  return named.flatMap(({ path }) => view.names(path)?.map((name) => join(path, name)) ?? [path]).filter((path) => view.type(path) !== undefined);
}

/** The places to watch, anywhere in the workspace. */
export function watchedPlaces(root: PinnedDirectory, view: TreeView, rootPath: string, { findings }: Survey): WatchedPlace[] {
  const places = new Map<string, WatchedPlace>();
  const add = (path: string, kind: WatchedKind): void => {
    const stat = lstatSync(Buffer.from(`${root.self}/${path}`, 'latin1'), { throwIfNoEntry: false });
    if (stat !== undefined) places.set(`${kind}/${path}`, { path, kind, stamp: `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` });
  };
  for (const { path, kind, behindLink } of findings) {
    // That is somebody's folder under another name: a link that a command made would have it taken away.
    if (behindLink !== undefined) continue;
    // Some are both: `.npmrc` holds keys and names programs.
    if (kind === 'denied' && protectedEntry(path) !== undefined) add(path, 'order');
    if (kind === 'protected' || kind === 'git-pointer') add(path, 'order');
    if (kind === 'locked' && path !== '') add(path, 'locked');
    if (kind !== 'git-folder') continue;
    for (const order of ordersIn(view, path)) add(order, 'order');
    if (nameOf(path) === '.git') for (const named of namedBy(view, rootPath, parentOf(path))) add(named, 'order');
  }
  return [...places.values()];
}
