import { DangerJudge } from '../danger/danger-judge.ts';
import type { DangerReason } from '../danger/git-orders.ts';
import { parentOf, type TreeView } from '../danger/tree-view.ts';
import type { PlaceBefore } from '../quarantine/unfinished.ts';
import type { WatchedPlace } from './watched-places.ts';

/** Why something that a command left is dangerous; `not-searched` where not everything could be looked at. */
export type LeftoverReason = DangerReason | 'denied' | 'not-searched';

/** Something that a command made or changed, and that another program would execute or take orders from. */
export interface Leftover {
  /** Relative to the root; one character stands for one byte (latin1). */
  readonly path: string;
  readonly reason: LeftoverReason;
  /** What was found in it, such as the names of settings. */
  readonly detail: string;
  /** Whether it must go: where not, it is only told. */
  readonly remove: boolean;
}

/** The workspace before and after a command. */
export interface SweptWorkspace {
  readonly view: TreeView;
  readonly rootPath: string;
  readonly before: readonly PlaceBefore[];
  readonly after: readonly WatchedPlace[];
}

/** What is known of the tree before: the watched places in it, and that what did not change says what it said. */
function viewBefore(view: TreeView, known: ReadonlyMap<string, boolean>): TreeView {
  const folders = new Set(['']);
  for (const path of known.keys()) for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) folders.add(folder);
  const isUnchanged = (path: string): boolean => known.get(path) === true;
  return {
    type: (path) => (known.has(path) ? (view.type(path) ?? 'other') : folders.has(path) ? 'folder' : undefined),
    readText: (path, maxBytes) => (isUnchanged(path) ? view.readText(path, maxBytes) : undefined),
    names: (path) => (folders.has(path) ? view.names(path) : undefined),
  };
}

/**
 * What a command left that would be executed later: hooks, settings and pointers of any repository, in new ones too
 * (`git init sub` is harmless by itself, a hook in it is not), orders to agents, and what a rule denies writing.
 *
 * @param onlyDenied leave out all but the last: a person permitted commands to change what is executed
 */
export function leftovers({ view, rootPath, before, after }: SweptWorkspace, onlyDenied = false): Leftover[] {
  const stamps = (isLocked: boolean): Map<string, string> =>
    new Map(before.flatMap(({ path, kind, stamp }) => ((kind === 'locked') === isLocked ? [[path, stamp] as const] : [])));
  const [locked, orders] = [stamps(true), stamps(false)];
  const now = new Map(after.map(({ path, stamp }) => [path, stamp]));
  const judge = new DangerJudge({
    before: viewBefore(view, new Map(Array.from(orders, ([path, stamp]) => [path, now.get(path) === stamp]))),
    after: view,
    rootPath,
  });
  // The deepest last: what lies in a folder that is taken away is gone with it.
  return after.flatMap(({ path, kind, stamp }): Leftover[] => {
    if (kind === 'locked') {
      // What was there before could not be changed: whoever did so was no command.
      return locked.has(path) ? [] : [{ path, reason: 'denied', detail: 'a rule denies writing it', remove: true }];
    }
    if (onlyDenied || orders.get(path) === stamp) return [];
    const danger = judge.judge(path);
    if (danger === undefined) return [];
    // What a person has there stays, and is told: orders to other programs, and the rebase that they began.
    const isTheirs = orders.has(path) && (danger.reason === 'protected' || path.endsWith('/rebase-merge/git-rebase-todo'));
    return [{ path, reason: danger.reason, detail: danger.detail, remove: danger.verdict === 'quarantine' && !isTheirs }];
  });
}
