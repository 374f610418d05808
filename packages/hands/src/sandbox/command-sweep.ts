import { DangerJudge } from '../danger/danger-judge.ts';
import type { NamedPlace } from '../danger/link-route.ts';
import { execLines } from '../danger/executable-git-config.ts';
import { displayText } from '../workspace/byte-name.ts';
import { parentOf, type TreeView } from '../danger/tree-view.ts';
import type { Leftover } from '../quarantine/take-away.ts';
import type { PlaceBefore } from '../quarantine/command-records.ts';
import type { PersistencePoint } from './persistence-points.ts';

/** The workspace before and after a command. */
export interface SweptWorkspace {
  readonly view: TreeView;
  readonly rootPath: string;
  readonly before: readonly PlaceBefore[];
  readonly after: readonly PersistencePoint[];
  /** All folders before the command, if they are known. Without them, a folder counts as new unless something was watched in it. */
  readonly folders?: ReadonlySet<string> | undefined;
  /** The commands that steps of a rebase may run, because they are in the command itself. Default: none. */
  readonly steps?: ReadonlySet<string> | undefined;
  /** Whether an earlier call took a folder away from a path. Default: none did. */
  readonly hadFolder?: ((path: string) => boolean) | undefined;
  /** What configurations outside the workspace name in it. */
  readonly outside: readonly NamedPlace[];
}

const TODO = '/rebase-merge/git-rebase-todo';
/** Maximum bytes of a todo list. A larger one does not stay. */
const MAX_TODO_BYTES = 256 * 1024;

/** What the steps of a rebase run, if all of it is in the command; undefined otherwise. */
function knownSteps(text: string | undefined, steps: SweptWorkspace['steps']): string | undefined {
  if (text === undefined || steps === undefined) return undefined;
  const runs = execLines(text).map((line) => line.replace(/^exec /u, ''));
  return runs.length > 0 && runs.every((run) => steps.has(run)) ? [...new Set(runs)].map((run) => displayText(run)).join(', ') : undefined;
}

/** The tree before the command, as far as it is known: the watched paths, and the content of those that did not change. */
function viewBefore(view: TreeView, known: ReadonlyMap<string, boolean>, all: ReadonlySet<string> | undefined): TreeView {
  const folders = new Set(['']);
  for (const path of known.keys()) for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) folders.add(folder);
  const isFolder = (path: string): boolean => folders.has(path) || all?.has(path) === true;
  const isUnchanged = (path: string): boolean => known.get(path) === true;
  return {
    type: (path) => {
      if (!known.has(path)) return isFolder(path) ? 'folder' : undefined;
      const type = view.type(path) ?? 'other';
      // Something was there. What it held is not known, and not because it is too large: all that it holds now is judged as new.
      return type === 'file' && !isUnchanged(path) ? 'other' : type;
    },
    readText: (path, maxBytes) => (isUnchanged(path) ? view.readText(path, maxBytes) : undefined),
    readBytes: (path, maxBytes) => (isUnchanged(path) ? view.readBytes(path, maxBytes) : undefined),
    linkText: (path) => (known.has(path) || isFolder(path) ? view.linkText(path) : undefined),
    names: (path) => (isFolder(path) ? view.names(path) : undefined),
  };
}

/**
 * What a command left that would be executed later: hooks, settings and pointers of any repository, including new ones
 * (`git init sub` is harmless by itself, a hook in it is not), instructions to agents, and paths that a rule denies writing.
 *
 * @param onlyDenied return only paths that a rule denies: a person permitted commands to change what is executed
 */
export function leftovers({ view, rootPath, before, after, outside, folders, hadFolder, steps }: SweptWorkspace, onlyDenied = false): Leftover[] {
  const stamps = (isLocked: boolean): Map<string, string> =>
    new Map(before.flatMap(({ path, kind, stamp }) => ((kind === 'locked') === isLocked ? [[path, stamp] as const] : [])));
  const [locked, orders] = [stamps(true), stamps(false)];
  const now = new Map(after.map(({ path, stamp }) => [path, stamp]));
  const judge = new DangerJudge({
    before: viewBefore(view, new Map(Array.from(orders, ([path, stamp]) => [path, now.get(path) === stamp])), folders),
    after: view,
    rootPath,
    elsewhere: outside,
    ...(hadFolder === undefined ? {} : { hadFolder }),
  });
  // Deepest last: removing a folder also removes its content.
  return after.flatMap(({ path, kind, stamp }): Leftover[] => {
    if (kind === 'locked') {
      // Existing entries were read-only for the command, so something else changed them.
      return locked.has(path) ? [] : [{ path, reason: 'denied', detail: 'a rule denies writing it', remove: true }];
    }
    if (onlyDenied || orders.get(path) === stamp) return [];
    const danger = judge.judge(path);
    if (danger === undefined) return [];
    const runs = path.endsWith(TODO) && danger.reason === 'git-hook' ? knownSteps(view.readText(path, MAX_TODO_BYTES), steps) : undefined;
    if (runs !== undefined) return [{ path, reason: danger.reason, detail: `git rebase --continue runs: ${runs}`, remove: false }];
    // Existing entries of the user stay and are reported: instructions to other programs, or a rebase in progress.
    const isTheirs = orders.has(path) && (danger.reason === 'protected' || path.endsWith(TODO));
    return [{ path, reason: danger.reason, detail: danger.detail, remove: danger.verdict === 'quarantine' && !isTheirs }];
  });
}
