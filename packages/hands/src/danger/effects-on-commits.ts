import { MAX_TEXT_BYTES, type OrderSources } from './executable-git-config.ts';
import { MAX_JUDGED_INDEX_BYTES, skippedFiles } from './false-index.ts';
import { foldBytes } from './protected-places.ts';
import { settingEffects } from './push-hosts.ts';
import { below, join, nameOf, parentOf, type TreeView } from './tree-view.ts';

/** Number of files or lines that are named. */
const MAX_NAMED = 3;
/** Number of files that are looked for: a sparse checkout skips thousands, which are not there. */
const MAX_LOOKED_FOR = 2_000;
/** Characters of a line that are shown. */
const MAX_LINE = 60;

/** Names some of them. They may come from a hostile program, with one character per byte (latin1). */
function someOf(all: readonly string[]): string {
  const named = all.slice(0, MAX_NAMED).map((one) => one.replaceAll(/[^\x20-\x7e]/gu, '?'));
  return `${named.join(', ')}${all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : ''}`;
}

type Effects = (path: string, sources: OrderSources) => string[];

/** What changed settings mean for the next commits and pushes. */
const ofSettings: Effects = (path, { before, after }) => {
  const [old, now] = [before.readText(path, MAX_TEXT_BYTES), after.readText(path, MAX_TEXT_BYTES)];
  return old === undefined || now === undefined || old === now ? [] : settingEffects(now, old);
};

/** Changes that an index newly keeps from `git status`: a command can hide so what it did to a file. */
const ofIndex: Effects = (path, { before, after, folder }) => {
  // Of other repositories it is not known here where the files are.
  if (foldBytes(nameOf(folder)) !== '.git') return [];
  const skippedIn = (view: TreeView): ReadonlySet<string> => {
    const bytes = view.readBytes(path, MAX_JUDGED_INDEX_BYTES);
    return bytes === undefined ? new Set() : skippedFiles(bytes, (name) => view.readBytes(join(folder, name), MAX_JUDGED_INDEX_BYTES));
  };
  const now = skippedIn(after);
  const old = now.size === 0 ? now : skippedIn(before);
  const fresh = [...now].filter((name) => !old.has(name)).slice(0, MAX_LOOKED_FOR);
  const found = fresh.filter((name) => after.type(join(parentOf(folder), name)) !== undefined);
  return found.length === 0 ? [] : [`git status and git commit -a take ${someOf(found)} for unchanged`];
};

/** New lines of a file beside the commits, which rules of git are in. */
const ofLines =
  (describe: (lines: string) => string): Effects =>
  (path, { before, after }) => {
    const linesOf = (view: TreeView): string[] => (view.readText(path, MAX_TEXT_BYTES) ?? '').split('\n').map((line) => line.trim());
    const old = new Set(linesOf(before));
    const fresh = linesOf(after).filter((line) => line !== '' && !line.startsWith('#') && !old.has(line));
    return fresh.length === 0 ? [] : [describe(someOf(fresh.map((line) => line.slice(0, MAX_LINE))))];
  };

/** The files of a repository that say what commits have, and what is shown before them. */
const EFFECTS: ReadonlyMap<string, Effects> = new Map([
  ['config', ofSettings],
  ['config.worktree', ofSettings],
  ['index', ofIndex],
  ['info/exclude', ofLines((lines) => `git status and git add leave out ${lines}`)],
  ['info/attributes', ofLines((lines) => `git reads and shows files by ${lines}`)],
]);

/** Describes what a changed file of a repository means for the next commits and pushes. A new repository has no earlier ones. */
export function effectsOnCommits(path: string, sources: OrderSources): string[] {
  const { before, folder } = sources;
  const effects = EFFECTS.get(below(folder, path));
  return effects === undefined || before.type(folder) === undefined ? [] : effects(path, sources);
}
