import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Processes } from '../process/processes.ts';
import { parentOf } from '../danger/tree-view.ts';
import { displayText, type Name, unescapeName } from '../workspace/byte-name.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { pathIn } from '../workspace-index/folder.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { IGNORE_FILE, type IgnoreTexts, ignoreFilesAbove, readIgnoreFile, writeRules } from './ignore-files.ts';
import { concerns, IgnoreIndex } from './ignore-index.ts';
import { ignoreFilesArguments, NO_IGNORE_FILES, OWN_IGNORE_FILES, PRUNED_RULES } from './ripgrep-arguments.ts';
import { runRipgrep, withWalkMemory } from './run-ripgrep.ts';
import type { SearchPlace } from './search-place.ts';

/**
 * Number of rules of subfolders up to which all rules are written into one file. ripgrep takes about a millisecond per rule for 50,000
 * files then, and nearly nothing if it reads the files of the folders itself.
 */
const MAX_WRITTEN = 200;
/** Maximum number of folders of results in which ignore files are looked for that ripgrep does not list. A look takes some 5 µs. */
const MAX_LOOKED_AT = 1_000;
/** Maximum number of ignore files that are looked for without an index. */
const MAX_FOUND = 5_000;

/** A search to which ignore files apply. */
interface IgnoringSearch {
  readonly place: SearchPlace;
  readonly workspace: Workspace;
  /** The path of ripgrep. */
  readonly program: string;
  readonly ignore: boolean;
  readonly signal: AbortSignal;
}

interface PlacedSearch extends IgnoringSearch {
  /** The workspace. */
  readonly view: ConfinedView;
  /** The searched folder, relative to the workspace; one character per byte (latin1). */
  readonly here: string;
}

/** Returns the ignore files that were not applied. @param found the files that the search found, as it shows them */
export type LeftOut = (found: Iterable<string>) => readonly string[];
/** The ignore files of a search in which ripgrep reads those of the folders itself. */
export interface WatchedRules {
  /** The same as long as they are the same. */
  readonly state: string;
  /** Rules from other places, for ripgrep. */
  readonly lines: readonly string[];
}

/** Runs ripgrep with the arguments that select ignore files. It may run twice, so it starts anew. */
type Run<T> = (ignoring: readonly string[], leftOut: LeftOut, watched?: WatchedRules) => Promise<T>;

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/**
 * Applies the ignore files of a workspace to searches. ripgrep opens them by name, follows links, and reads them as a whole: through a
 * link, its results would tell what is in a file that the caller may not read, a pipe would hold it, and a huge file would take all
 * memory. So it reads them itself only while they are watched, and none of them is anything but a small file. Otherwise they are read
 * here by handle, and it gets their rules in one file.
 */
export class IgnoreRules {
  readonly #processes: Processes;
  readonly #known: IgnoreIndex | undefined;

  constructor(processes: Processes, index: FolderIndex | undefined) {
    this.#processes = processes;
    this.#known = index === undefined ? undefined : new IgnoreIndex(index);
  }

  async apply<T>(search: IgnoringSearch, run: Run<T>): Promise<T> {
    const { place, workspace, ignore } = search;
    if (!ignore || place.isFile) return await run(NO_IGNORE_FILES, () => []);
    using root = workspace.openDirectory('.');
    using view = new ConfinedView(root);
    const at = { ...search, view, here: bytePath(place.directory.location) };
    if (this.#known?.isReady !== true) {
      const written = writeRules(workspace.root, at.here, await this.#find(at), true);
      if (written.below <= MAX_WRITTEN || this.#known === undefined)
        return await withRules(NO_IGNORE_FILES, written.lines, (all) => run(all, (found) => unapplied(at, found)));
    }
    const watched = await this.#runWatched(at, run);
    if (watched !== undefined) return watched.result;
    const known = await this.#known?.look(view);
    const texts = known === undefined ? await this.#find(at) : readable(workspace, known.texts);
    const concerned = known === undefined ? [] : [...known.irregular].filter((path) => concerns(path, at.here));
    const leftOut: LeftOut = known === undefined ? (found) => unapplied(at, found) : () => shown(workspace, concerned);
    return await withRules(NO_IGNORE_FILES, writeRules(workspace.root, at.here, texts, true).lines, (all) => run(all, leftOut));
  }

  /** Lets ripgrep read the ignore files of folders; undefined if one of them must not be read, or was replaced in the meantime. */
  async #runWatched<T>({ workspace, view, here, signal }: PlacedSearch, run: Run<T>): Promise<{ readonly result: T } | undefined> {
    const known = await this.#known?.look(view);
    // The count of now: a look of another search may change it from here on.
    const replaced = known?.replaced;
    if (known === undefined || [...known.irregular].some((path) => concerns(path, here))) return undefined;
    const texts = readable(workspace, known.texts);
    if (texts.size < known.texts.size) return undefined;
    const { lines } = writeRules(workspace.root, here, texts, false);
    const watches = { state: JSON.stringify([replaced, lines]), lines };
    const result = await withRules(OWN_IGNORE_FILES, lines, (all) => run(all, () => [], watches));
    return signal.aborted || (await this.#known?.look(view))?.replaced === replaced ? { result } : undefined;
  }

  /** Finds the ignore files for a search without an index. What is ignored is not looked through. */
  async #find({ workspace, view, here, place, program, signal }: PlacedSearch): Promise<IgnoreTexts> {
    const texts = new Map<string, string>();
    const add = (path: string): void => {
      const text = readIgnoreFile(view, path);
      if (text !== undefined) texts.set(path, text);
    };
    for (const path of ignoreFilesAbove(here)) add(path);
    if (place.shallow) return readable(workspace, texts);
    const { lines } = writeRules(workspace.root, here, readable(workspace, texts), true);
    let left = Buffer.alloc(0);
    let count = 0;
    await withRules([], [...lines, PRUNED_RULES], async ([rules = '']) => {
      const argv = withWalkMemory([program, ...ignoreFilesArguments(rules)]);
      return await runRipgrep(this.#processes, argv, place.directory, signal, (chunk) => {
        const names = Buffer.concat([left, chunk]).toString('latin1').split('\0');
        left = Buffer.from(names.pop() ?? '', 'latin1');
        for (const name of names) add(pathIn(here, name.replace(/^\.\//u, '')));
        count += names.length;
        return count > MAX_FOUND ? 'enough' : 'more';
      });
    });
    return readable(workspace, texts);
  }
}

/** The names of ignore files that the caller may know of. */
function shown(workspace: Workspace, paths: readonly string[]): string[] {
  return paths
    .map(utf8)
    .filter((path) => workspace.mayRead(path))
    .map(displayText);
}

/**
 * The ignore files of a place that are not applied, as far as they are known without an index: ripgrep does not list links and pipes, so they
 * are looked for on the way to what was found.
 */
function unapplied({ workspace, view, here }: PlacedSearch, found: Iterable<string>): string[] {
  const folders = new Set<string>();
  for (const path of found) {
    for (let folder = bytePath(namesOf(parentOf(path))); folder !== here && folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
    if (folders.size >= MAX_LOOKED_AT) break;
  }
  const isThere = (path: string): boolean => !['folder', undefined].includes(view.type(path));
  const places = [...ignoreFilesAbove(here), ...[...folders].toSorted().map((folder) => pathIn(folder, IGNORE_FILE))];
  return shown(
    workspace,
    places.filter((path) => isThere(path) && readIgnoreFile(view, path) === undefined),
  );
}

const namesOf = (path: string): Name[] => (path === '' ? [] : path.split('/').map(unescapeName));

/** Leaves out what the caller may not read. */
function readable(workspace: Workspace, texts: IgnoreTexts): IgnoreTexts {
  return new Map([...texts].filter(([path]) => workspace.mayRead(utf8(path))));
}

/** Passes rules in a file that only this user can read. */
export async function withRules<T>(others: readonly string[], lines: readonly string[], work: (all: readonly string[]) => Promise<T>): Promise<T> {
  if (lines.length === 0) return await work(others);
  const folder = mkdtempSync(join(tmpdir(), 'synapse-ignore-'));
  try {
    const file = join(folder, 'rules');
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    return await work([...others, `--ignore-file=${file}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
