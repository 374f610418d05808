import type { SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import { type RequiredGrams, plainText, requiredGrams } from '../search-index/required-text.ts';
import { SearchIndex } from '../search-index/search-index.ts';
import { isInGit, type Walk } from '../search-index/walk.ts';
import { below } from '../danger/tree-view.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { pathIn } from '../workspace-index/folder.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { TimeSlice } from '../events/timing.ts';
import { FoundFiles } from './found-files.ts';
import type { IgnoreRules, WatchedRules } from './ignore-search.ts';
import { literalLines } from './literal-lines.ts';
import type { MatchRecord } from './match-record.ts';
import { NameSplitter } from './name-queue.ts';
import { narrowedWalk } from './narrowed-walk.ts';
import { filesArguments } from './ripgrep-arguments.ts';
import { runRipgrep, withWalkMemory } from './run-ripgrep.ts';
import { openPlace, type SearchPlace } from './search-place.ts';

/** Maximum number of files that may match before globs. */
const MAX_MAYBE = 4_000;
/** Maximum number of files, and of bytes in them, that are searched here. With more, ripgrep is faster on several processors. */
const MAX_SEARCHED = { files: 400, bytes: 16 * 1024 * 1024 };
/** Share of all files up to which they are searched here, if that is more: to walk through the others takes ripgrep longer. */
const MAX_SHARE = 1 / 400;
/** Maximum number of files that ripgrep is led to: each takes rules, and each rule takes time. */
const MAX_NARROWED = 200;
/** Milliseconds between two walks of a folder in which names come and go. */
const WALK_AGAIN_MS = 5_000;

/** A folder to search, under certain ignore rules. */
export interface IndexedPlace {
  readonly place: SearchPlace;
  readonly workspace: Workspace;
  readonly watched: WatchedRules;
  /** The path of ripgrep. */
  readonly program: string;
}

/** A search for lines. */
export interface IndexedText extends IndexedPlace {
  /** Returns the shown path of a file that was asked for and may be read. */
  readonly accept: (found: Buffer) => string | undefined;
  readonly request: Parameters<typeof requiredGrams>[0];
  /** Maximum number of lines of a file. */
  readonly perFile: number;
  /** Number of lines above which the answer is cut. */
  readonly limit: number;
}

/** What is left of a search for lines. */
export interface Narrowed {
  /** The lines of files that were searched already, in order of their paths. */
  readonly records: readonly MatchRecord[];
  /** The content of these files, by their shown paths. */
  readonly read: ReadonlyMap<string, Buffer>;
  /** Rules that lead ripgrep to the other files; undefined if there are none, or if the lines are more than the limit already. */
  readonly rules: readonly string[] | undefined;
  readonly sandbox: SandboxTier;
}

/** Takes a file as a walk would find it. @param modified in milliseconds since 1970; undefined if it has to be looked up */
type TakeName = (path: string, modified: number | undefined) => void;

interface ReadyWalk {
  readonly walk: Walk;
  /** Whether what is known of the content of files is true. */
  readonly isSwept: boolean;
  readonly sandbox: SandboxTier;
}

/** Searches by an index: it leaves out files that cannot match. Where it cannot answer, the answer is undefined, and ripgrep searches. */
export class IndexedSearch implements AsyncDisposable {
  readonly #index: SearchIndex;
  readonly #processes: Processes;
  readonly #rules: IgnoreRules;
  readonly #sandboxes = new WeakMap<Walk, SandboxTier>();
  readonly #closing = new AbortController();
  readonly #listings = new Set<Promise<void>>();
  readonly #listed = new Map<string, { readonly at: number; readonly took: number }>();

  /** Undefined where folders are not held open. @param root the workspace. It is closed with this. */
  static open(folders: FolderIndex, root: PinnedDirectory, processes: Processes, rules: IgnoreRules): IndexedSearch | undefined {
    if (root.descriptor !== undefined) return new IndexedSearch(new SearchIndex(folders, root, root.descriptor), processes, rules);
    root[Symbol.dispose]();
    return undefined;
  }

  private constructor(index: SearchIndex, processes: Processes, rules: IgnoreRules) {
    this.#index = index;
    this.#processes = processes;
    this.#rules = rules;
  }

  /** Resolves when the work in the background is done. For tests. */
  async settled(): Promise<void> {
    await Promise.all(this.#listings);
    await this.#index.settled();
  }

  /** Ends the thread that reads files. For tests. */
  async endReader(): Promise<void> {
    await this.#index.endReader();
  }

  /** Lets the next search walk again. For tests. */
  walkSoon(): void {
    this.#listed.clear();
  }

  /** Returns what is left to search for lines. */
  async text(asked: IndexedText): Promise<Narrowed | undefined> {
    const required = requiredGrams(asked.request);
    if (required === undefined) return undefined;
    const ready = await this.#ready(asked, true);
    const files = ready?.isSwept === true ? this.#mayMatch(ready.walk, asked, required) : undefined;
    if (ready === undefined || files === undefined) return undefined;
    const text = plainText(asked.request);
    const searched = text === undefined ? { records: [], read: new Map<string, Buffer>(), left: files } : await searchPlain(files, text, asked);
    const { left, ...done } = searched;
    // Of a regular expression, ripgrep says whether it is valid.
    if (done.records.length > asked.limit || (text !== undefined && left.length === 0)) return { ...done, rules: undefined, sandbox: ready.sandbox };
    if (left.length > MAX_NARROWED) return undefined;
    const names = left.map(({ found }) => asked.place.names(found) ?? []);
    const rules = narrowedWalk(names);
    return rules && { ...done, rules, sandbox: ready.sandbox };
  }

  /**
   * Reports the files that a walk would find, hidden ones too. Returns undefined without a report where it cannot.
   *
   * @param endings the ends of paths that may be wanted; empty for any
   * @param isWanted whether a path relative to the place is wanted, in latin1
   */
  async names(
    asked: IndexedPlace,
    endings: readonly string[],
    isWanted: (path: string) => boolean,
    take: TakeName,
  ): Promise<{ readonly sandbox: SandboxTier } | undefined> {
    const ready = await this.#ready(asked, false);
    if (ready === undefined) return undefined;
    const here = placePath(asked.place);
    // Whether ripgrep would list them is not known.
    for (const path of ready.walk.unknown) if (isWanted(below(here, path))) return undefined;
    const { files } = this.#index;
    // Without a pause: the files may not change in between.
    for (const id of ready.walk.ids) {
      if (!files.has(id) || (endings.length > 0 && !files.endsIn(id, endings))) continue;
      const path = below(here, files.pathOf(id));
      if (isWanted(path)) take(path, ready.isSwept ? files.modified(id) : undefined);
    }
    return { sandbox: ready.sandbox };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#listings);
    await this.#index[Symbol.asyncDispose]();
  }

  /** Returns the walk of a place, as of now. Walks in the background where there is none, or names came. */
  async #ready(asked: IndexedPlace, isWaiting: boolean): Promise<ReadyWalk | undefined> {
    const here = placePath(asked.place);
    if (this.#closing.signal.aborted || isInGit(here) || !(await this.#index.sync())) return undefined;
    const isSwept = await this.#index.isSwept(isWaiting);
    const walk = this.#index.walk(here, asked.watched.state);
    if (walk === undefined || walk.unknown.size > 0) this.#list(here, asked);
    const sandbox = walk && this.#sandboxes.get(walk);
    return walk === undefined || sandbox === undefined ? undefined : { walk, sandbox, isSwept };
  }

  #mayMatch(walk: Walk, { place, accept }: IndexedText, required: RequiredGrams): Candidate[] | undefined {
    const most = Math.max(MAX_SEARCHED.files, Math.floor(walk.ids.length * MAX_SHARE));
    const maybe = this.#index.mayMatch(walk, required, Math.max(MAX_MAYBE, most));
    if (maybe === undefined || maybe.unknown.size > MAX_MAYBE) return undefined;
    const here = placePath(place);
    const { files } = this.#index;
    const candidates: Candidate[] = [];
    for (const [path, id] of [...maybe.ids.map((id) => [files.pathOf(id), id] as const), ...[...maybe.unknown].map((path) => [path] as const)]) {
      const found = foundBelow(here, path);
      const shown = accept(found);
      if (shown !== undefined) candidates.push({ found, shown, bytes: id === undefined ? undefined : files.bytes(id) });
      // ripgrep may open it all the same, and says that it could not.
      else if (id !== undefined && files.isUnreadable(id)) return undefined;
      if (candidates.length > most) return undefined;
    }
    return candidates.toSorted((a, b) => Buffer.compare(a.found, b.found));
  }

  #list(here: string, { place, workspace, program }: IndexedPlace): void {
    const last = this.#listed.get(here);
    const isEarly = last !== undefined && performance.now() - last.at < Math.max(WALK_AGAIN_MS, 5 * last.took);
    if (isEarly || this.#index.isWalking(here)) return;
    const began = performance.now();
    this.#listed.set(here, { at: began, took: 0 });
    const listing = this.#walk(here, displayPath(place.directory.location) || '.', workspace, program)
      // The folder is gone, or the hands were closed: the next search finds out.
      .catch(() => {})
      .finally(() => {
        this.#listings.delete(listing);
        this.#listed.set(here, { at: performance.now(), took: performance.now() - began });
      });
    this.#listings.add(listing);
  }

  async #walk(here: string, shown: string, workspace: Workspace, program: string): Promise<void> {
    using place = openPlace(workspace, shown);
    if (placePath(place) !== here || place.isFile) return;
    const { signal } = this.#closing;
    await this.#rules.apply({ place, workspace, program, ignore: true, signal }, async (ignoring, _leftOut, watched) => {
      if (watched === undefined || !(await this.#index.sync())) return;
      const walk = this.#index.begin(here, watched.state);
      const mayRead = (path: string): boolean => workspace.mayRead(Buffer.from(path, 'latin1').toString());
      const splitter = new NameSplitter();
      const request = { place: place.argument, shallow: false, hidden: true, ignore: ignoring, names: [], excludedNames: [] };
      const ran = await runRipgrep(this.#processes, withWalkMemory([program, ...filesArguments(request)]), place.directory, signal, (chunk) => {
        for (const name of splitter.push(chunk)) this.#index.found(walk, pathIn(here, name.toString('latin1').replace(/^\.\//u, '')), mayRead);
        return 'more';
      });
      const isWhole = ran.ended === 'complete' && !ran.unreadable && (await this.#index.sync());
      this.#sandboxes.set(walk, ran.sandbox);
      this.#index.end(walk, isWhole);
    });
  }
}

interface Candidate {
  readonly found: Buffer;
  readonly shown: string;
  /** Its size when it was read; undefined if ripgrep might not search it. */
  readonly bytes: number | undefined;
}

const placePath = (place: SearchPlace): string => bytePath(place.directory.location);

/** Returns the name of a file as ripgrep reports it in a folder. */
const foundBelow = (here: string, path: string): Buffer => Buffer.from(`./${below(here, path)}`, 'latin1');

/** Searches files for a text by handle, up to one line more than the limit. Leaves to ripgrep what it reads in another way, or might not search. */
async function searchPlain(
  files: readonly Candidate[],
  text: Buffer,
  { place, perFile, limit }: IndexedText,
): Promise<Pick<Narrowed, 'records' | 'read'> & { readonly left: readonly Candidate[] }> {
  const { descriptor } = place.directory;
  if (descriptor === undefined) return { records: [], read: new Map(), left: files };
  using found = new FoundFiles(descriptor);
  const slice = new TimeSlice();
  const records: MatchRecord[] = [];
  const read = new Map<string, Buffer>();
  const left: Candidate[] = [];
  let room = MAX_SEARCHED.bytes;
  for (const file of files) {
    const bytes = file.bytes === undefined || file.bytes > room ? undefined : found.read(file.found, room);
    room -= bytes?.length ?? 0;
    const lines = bytes && literalLines(bytes, text, file.found, perFile);
    if (lines === undefined) left.push(file);
    else if (bytes !== undefined && lines.length > 0) {
      records.push(...lines);
      read.set(file.shown, bytes);
    }
    if (records.length > limit) break;
    if (slice.isOver) await slice.next();
  }
  return { records, read, left };
}
