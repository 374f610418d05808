import type { Processes } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Remembered, type Versions } from '../workspace-index/remembered.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { IgnoreRules } from './ignore-search.ts';
import type { IndexedSearch } from './indexed-search.ts';
import { type FileFindings, type FileSearchParts, type FilesRequest, type Listing, searchFiles } from './file-search.ts';
import type { SearchPlace } from './search-place.ts';
import { searchText, type TextFindings, type TextRequest } from './text-search.ts';
import { SynapseError } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';

const UNKNOWN: Versions = { version: async () => undefined };

/** The first major version with all options that are used here. */
const MIN_MAJOR = 13;

/** Returns the path of the ripgrep that npm installed for this platform; undefined if it has none. */
export async function bundledRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    // An installation may omit optional packages, and not every platform has one.
    return undefined;
  }
}

async function systemVersion(processes: Processes, cwd: PinnedDirectory, signal: AbortSignal): Promise<number> {
  let text = '';
  try {
    await processes.run({
      argv: ['rg', '--version'],
      cwd,
      signal,
      onOutput: (stream, chunk) => {
        if (stream === 'stdout' && text.length < 1_000) text += chunk.toString();
      },
    });
  } catch {
    // A missing program is treated like one that is too old.
    return 0;
  }
  return Number(/^ripgrep (\d+)\./u.exec(text)?.[1] ?? 0);
}

/** What separates globs in one text, and what only other syntaxes have; braces without blanks are neither. */
const ODD_GLOB = /[\s,;|"'`()\\]|^\[\s*"/u;

/** A search with the globs as they were understood. */
interface Understood<Found> {
  readonly found: Found;
  /** How the globs were read, if that is not how they are written. */
  readonly note: string | undefined;
  /** Whether no file matches the globs at all, not even a hidden one. */
  readonly noFiles: boolean;
}

/**
 * Searches with globs as they are meant: a list in one text is a list, and globs that match no file are read in the one way that does.
 * A search that finds nothing thereby knows whether its globs are to blame.
 */
export async function searchAsMeant<Found>(
  globs: readonly string[],
  request: Pick<FilesRequest, 'path' | 'ignore'>,
  { workspace, search, signal }: { readonly workspace: Workspace; readonly search: Pick<Search, 'filesAgain'>; readonly signal: AbortSignal },
  run: (globs: readonly string[]) => Promise<Found>,
  isEmpty: (found: Found) => boolean,
): Promise<Understood<Found>> {
  const isOdd = globs.some((glob) => ODD_GLOB.test(glob.replaceAll(/\{[^{}\s|]*\}/gu, '')));
  const first = isOdd ? undefined : await run(globs);
  const mayBlame = globs.some((glob) => !glob.startsWith('!'));
  if (first !== undefined && (!mayBlame || !isEmpty(first))) return { found: first, note: undefined, noFiles: false };
  const { meantGlobs } = await import('./meant-globs.ts');
  const hasFiles = async (some: readonly string[]): Promise<boolean> =>
    (await search.filesAgain({ ...request, globs: some, hidden: true, limit: 1 }, workspace, signal)).collected > 0;
  const meant = await meantGlobs(globs, request.path, hasFiles);
  const found = first === undefined || meant.note !== undefined ? await run(meant.globs) : first;
  return { found, note: meant.note, noFiles: mayBlame && !meant.matches && !signal.aborted };
}

/** Finds the ripgrep to run: the one from npm, else a recent one on the PATH. */
export async function findRipgrep(processes: Processes, cwd: PinnedDirectory, signal: AbortSignal, bundled = bundledRipgrep): Promise<string> {
  const program = await bundled();
  if (program !== undefined) return program;
  if ((await systemVersion(processes, cwd, signal)) >= MIN_MAJOR) return 'rg';
  throw new SynapseError('unavailable', `Searching needs ripgrep, and there is none for ${process.platform}-${process.arch}.`, {
    hint: `A person can install ripgrep ${MIN_MAJOR} or newer as rg on the PATH, or run npm install without leaving out optional packages.`,
  });
}

const isComplete = ({ stoppedBy }: Listing): boolean => stoppedBy === undefined;

/** Characters of all names of a workspace from which on it has an index: some 2,500 files, of which a search by ripgrep takes 30 ms. */
const LARGE_NAMES = 40_000;
/** Number of searches after which a small workspace is measured again. */
const MEASURE_AGAIN = 64;

/** For tests. */
interface SearchOptions {
  /** Default: those of the folders. */
  readonly versions?: Versions;
  /** Characters of all names from which on there is an index. */
  readonly largeNames?: number;
}

/**
 * Searches a workspace with ripgrep, and with an index where the workspace is large. An aborted search returns its results so far
 * and does not throw the signal's reason.
 */
export class Search implements AsyncDisposable {
  readonly #processes: Processes;
  readonly #listings: Remembered<Listing>;
  readonly #rules: IgnoreRules;
  readonly #versions: Versions;
  readonly #folders: FolderIndex | undefined;
  readonly #largeNames: number;
  #program: string | undefined;
  #indexed: Promise<IndexedSearch | undefined> | undefined;
  /** Number of searches until the workspace is measured. */
  #measureIn = 0;
  #isClosed = false;

  /** @param folders knows the folders of the workspace; without, nothing is cached */
  constructor(processes: Processes, folders?: FolderIndex, { versions = folders ?? UNKNOWN, largeNames = LARGE_NAMES }: SearchOptions = {}) {
    this.#processes = processes;
    this.#folders = folders;
    this.#largeNames = largeNames;
    this.#versions = versions;
    this.#listings = new Remembered(versions);
    this.#rules = new IgnoreRules(processes, folders);
  }

  /** Finds lines. Throws `invalid_arguments` for a malformed pattern or glob. */
  async text(request: TextRequest, workspace: Workspace, signal: AbortSignal): Promise<TextFindings> {
    // From the second search on, the folders are watched, and so are their ignore files.
    if (request.ignore) await this.#versions.version();
    const parts = { program: this.#ripgrep(signal), rules: this.#rules, indexed: () => this.#index(workspace) };
    return await searchText(request, workspace, this.#processes, parts, signal);
  }

  /** Finds files. Throws `invalid_arguments` for a malformed glob. */
  files(request: FilesRequest, workspace: Workspace, signal: AbortSignal): Promise<FileFindings> {
    return this.#find(request, workspace, signal, (question, list) => this.#listings.get(question, list, isComplete));
  }

  /** As {@link files}, after another search of the same call: it is no sign of further calls, for which the workspace would be read. */
  filesAgain(request: FilesRequest, workspace: Workspace, signal: AbortSignal): Promise<FileFindings> {
    if (this.#folders?.mode?.kind === 'watched') return this.files(request, workspace, signal);
    return this.#find(request, workspace, signal, (_, list) => list());
  }

  #find(request: FilesRequest, workspace: Workspace, signal: AbortSignal, remembered: FileSearchParts['remembered']): Promise<FileFindings> {
    const program = this.#ripgrep(signal);
    const parts = { processes: this.#processes, program, rules: this.#rules, indexed: () => this.#index(workspace), remembered };
    return searchFiles(request, workspace, parts, signal);
  }

  /** Resolves when the index is as it is without further changes. For tests. */
  async settled(): Promise<void> {
    await (await this.#indexed)?.settled();
  }

  /** Ends the thread of the index. For tests. */
  async endReader(): Promise<void> {
    await (await this.#indexed)?.endReader();
  }

  /** Lets the next search walk again. For tests. */
  walkSoon(): void {
    void this.#indexed?.then((indexed) => indexed?.walkSoon());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await (await this.#indexed)?.[Symbol.asyncDispose]();
  }

  /** Returns the index of a large workspace. It is built from the second search on, in the background. */
  async #index(workspace: Workspace): Promise<IndexedSearch | undefined> {
    const folders = this.#folders;
    if (this.#indexed !== undefined || folders === undefined || folders.showsBelow || this.#isClosed) return await this.#indexed;
    this.#measureIn -= 1;
    if (this.#measureIn >= 0) return undefined;
    this.#measureIn = MEASURE_AGAIN;
    const { folders: all } = await folders.refresh();
    let names = 0;
    for (const { listing } of all.values()) names += listing.length;
    if (names < this.#largeNames) return undefined;
    this.#indexed ??= this.#openIndex(folders, workspace);
    return await this.#indexed;
  }

  async #openIndex(folders: FolderIndex, workspace: Workspace): Promise<IndexedSearch | undefined> {
    try {
      const { IndexedSearch } = await import('./indexed-search.ts');
      return IndexedSearch.open(folders, workspace.openDirectory('.'), this.#processes, this.#rules);
    } catch {
      // No thread can be started, or the workspace is gone: ripgrep searches, and says so.
      return undefined;
    }
  }

  #ripgrep(signal: AbortSignal): (place: SearchPlace) => Promise<string> {
    return async ({ directory }) => (this.#program ??= await findRipgrep(this.#processes, directory, signal));
  }
}
