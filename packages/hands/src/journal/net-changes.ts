import { displayPath } from '../workspace/byte-name.ts';
import { loadPath, sameImage, type Image, type Step } from '../workspace/changes/step.ts';

/** The net effect of several changes on one entry of the workspace. */
export interface NetChange {
  /** The current path, or the last one before the entry was deleted. */
  readonly path: string;
  /** The previous path, if it was different. */
  readonly from: string | undefined;
  /** Null if the entry did not exist; undefined if it was only moved and its content is unknown. The same for `after`. */
  readonly before: Image | null | undefined;
  readonly after: Image | null | undefined;
  /** The step that replaced {@link before}. Undefined if it was only moved. */
  readonly replacedBy: Step | undefined;
}

interface Tracked {
  readonly from: string;
  readonly before: Image | null | undefined;
  readonly replacedBy: Step | undefined;
  after: Image | null | undefined;
}

/** Whether a folder got other permissions. Unknown permissions count as equal. */
function hasOtherMode(before: Image | null | undefined, after: Image | null | undefined): boolean {
  return before?.type === 'folder' && after?.type === 'folder' && before.mode !== null && after.mode !== null && before.mode !== after.mode;
}

/** Whether calls made a folder above a path, which a command makes with all that is in it: there was nothing at the path before. */
function isInNewFolder(path: string, tracked: ReadonlyMap<string, Tracked>): boolean {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    if (tracked.get(path.slice(0, slash))?.before === null) return true;
  return false;
}

/** Follows what a move takes along. */
function follow({ from, to }: { readonly from: string; readonly to: string }, tracked: Map<string, Tracked>, gone: Array<[string, Tracked]>): void {
  const moved = [...tracked].filter(([path]) => path === from || path.startsWith(`${from}/`));
  const before = isInNewFolder(from, tracked) ? null : undefined;
  if (!tracked.has(from)) moved.push([from, { from, before, after: undefined, replacedBy: undefined }]);
  for (const [path] of moved) tracked.delete(path);
  for (const [path, entry] of moved) {
    const place = to + path.slice(from.length);
    const there = tracked.get(place);
    // A move replaces nothing: the earlier entry at that path was deleted, which still has to be reported.
    if (there !== undefined) gone.push([place, there]);
    tracked.set(place, entry);
  }
}

/** Combines changes, oldest first. Omits entries that were created and deleted again. */
export function netChanges(entries: ReadonlyArray<{ readonly steps: readonly Step[] }>): NetChange[] {
  const tracked = new Map<string, Tracked>();
  const gone: Array<[string, Tracked]> = [];
  for (const step of entries.flatMap(({ steps }) => steps)) {
    if (step.kind === 'set') {
      const path = displayPath(loadPath(step.path));
      const known = tracked.get(path);
      if (known === undefined)
        tracked.set(path, { from: path, before: isInNewFolder(path, tracked) ? null : step.before, after: step.after, replacedBy: step });
      else known.after = step.after;
      continue;
    }
    follow({ from: displayPath(loadPath(step.from)), to: displayPath(loadPath(step.to)) }, tracked, gone);
  }
  const net: NetChange[] = [];
  for (const [path, { from, before, after, replacedBy }] of [...gone, ...tracked]) {
    const unchanged = before === undefined || after === undefined ? before === after : sameImage(before, after);
    if (unchanged && path === from && !hasOtherMode(before, after)) continue;
    if (before === null && after === null) continue;
    net.push({ path, from: before === null || path === from ? undefined : from, before, after, replacedBy });
  }
  return net.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
