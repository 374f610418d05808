import { displayPath } from '../workspace/byte-name.ts';
import { loadPath, sameImage, type Image, type Step } from './step.ts';

/** What became of one entry of the workspace over several changes. */
export interface NetChange {
  /** Where it is now, or was at last. */
  readonly path: string;
  /** Where it was before, where that was elsewhere. */
  readonly from: string | undefined;
  /** Null where there was, or is, none; undefined where it was moved and nothing else is known of it. */
  readonly before: Image | null | undefined;
  readonly after: Image | null | undefined;
}

interface Tracked {
  readonly from: string;
  readonly before: Image | null | undefined;
  after: Image | null | undefined;
}

/** A folder is the same with other permissions, unless a change was about these. */
function hasOtherMode(before: Image | null | undefined, after: Image | null | undefined): boolean {
  return before?.type === 'folder' && after?.type === 'folder' && before.mode !== null && after.mode !== null && before.mode !== after.mode;
}

/** Sums changes up, oldest first, so that what came and went does not show. */
export function netChanges(entries: ReadonlyArray<{ readonly steps: readonly Step[] }>): NetChange[] {
  const tracked = new Map<string, Tracked>();
  const gone: Array<[string, Tracked]> = [];
  for (const step of entries.flatMap(({ steps }) => steps)) {
    if (step.kind === 'set') {
      const path = displayPath(loadPath(step.path));
      const known = tracked.get(path);
      if (known === undefined) tracked.set(path, { from: path, before: step.before, after: step.after });
      else known.after = step.after;
      continue;
    }
    const [from, to] = [displayPath(loadPath(step.from)), displayPath(loadPath(step.to))];
    const moved = [...tracked].filter(([path]) => path === from || path.startsWith(`${from}/`));
    if (!tracked.has(from)) moved.push([from, { from, before: undefined, after: undefined }]);
    for (const [path] of moved) tracked.delete(path);
    for (const [path, entry] of moved) {
      const place = to + path.slice(from.length);
      const there = tracked.get(place);
      // A move replaces nothing: what had the name before was deleted, and that is still to be told.
      if (there !== undefined) gone.push([place, there]);
      tracked.set(place, entry);
    }
  }
  const net: NetChange[] = [];
  for (const [path, { from, before, after }] of [...gone, ...tracked]) {
    const unchanged = before === undefined || after === undefined ? before === after : sameImage(before, after);
    if (unchanged && path === from && !hasOtherMode(before, after)) continue;
    if (before === null && after === null) continue;
    net.push({ path, from: before === null || path === from ? undefined : from, before, after });
  }
  return net.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
