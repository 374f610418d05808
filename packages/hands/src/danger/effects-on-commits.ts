import { MAX_TEXT_BYTES, type OrderSources } from './executable-git-config.ts';
import { MAX_JUDGED_INDEX_BYTES, skippedFiles } from './false-index.ts';
import { foldBytes } from './protected-places.ts';
import { settingEffects } from './push-hosts.ts';
import { below, join, nameOf, parentOf, type EntryType, type TreeView } from './tree-view.ts';

/** Number of files or lines that are named, and characters of each. */
const [MAX_NAMED, MAX_SHOWN] = [3, 60];
/** Looks for files and folders. Beyond it, a file counts as there. A sparse checkout skips thousands in a few folders that are not there. */
const MAX_LOOKS = 20_000;
const PLAIN = /^[\w./@+-]+$/u;

/** Shows a text of a hostile program, which has one character per byte (latin1). In quotes it is no sentence of Synapse. */
function shown(text: string): string {
  const start = text.slice(0, MAX_SHOWN).replaceAll(/[^\x20-\x7e]/gu, '?');
  return PLAIN.test(start) ? start : JSON.stringify(start);
}

function someOf(all: readonly string[]): string {
  const more = all.length - MAX_NAMED;
  return `${all.slice(0, MAX_NAMED).map(shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Creates a question whether a file is there, which looks for each folder once. */
function presence(view: TreeView, top: string): (name: string) => boolean {
  const folders = new Map([['', true]]);
  let looks = 0;
  const typeOf = (path: string): EntryType | undefined => ((looks += 1) > MAX_LOOKS ? 'folder' : view.type(join(top, path)));
  const isFolder = (path: string): boolean => {
    const known = folders.get(path) ?? (isFolder(parentOf(path)) && typeOf(path) === 'folder');
    folders.set(path, known);
    return known;
  };
  return (name) => isFolder(parentOf(name)) && typeOf(name) !== undefined;
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
  const isThere = presence(after, parentOf(folder));
  const found = [...now].filter((name) => !old.has(name) && isThere(name));
  return found.length === 0 ? [] : [`git status and git commit -a take ${someOf(found)} for unchanged`];
};

/** New lines of a file beside the commits, which rules of git are in. */
const ofLines =
  (describe: (lines: string) => string): Effects =>
  (path, { before, after }) => {
    const linesOf = (view: TreeView): string[] | undefined =>
      view
        .readText(path, MAX_TEXT_BYTES)
        ?.split('\n')
        .map((line) => line.trim());
    if (after.type(path) !== 'file') return [];
    const now = linesOf(after);
    if (now === undefined) return [describe('rules that are too long to be shown')];
    const old = new Set(linesOf(before));
    const fresh = now.filter((line) => line !== '' && !line.startsWith('#') && !old.has(line));
    return fresh.length === 0 ? [] : [describe(someOf(fresh))];
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
