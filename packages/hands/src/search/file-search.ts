import { lstatSync } from 'node:fs';
import type { SandboxTier } from '@synapse/protocol';
import { parentOf } from '../danger/tree-view.ts';
import type { Processes } from '../process/processes.ts';
import { TimeSlice } from '../events/timing.ts';
import { displayPath, joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { WorkspaceReader } from '../workspace/workspace-reader.ts';
import { compileGlobs, endingsOf, isHiddenBelow, pathsEndingIn } from './glob.ts';
import { FoundFiles } from './found-files.ts';
import type { IgnoreRules } from './ignore-search.ts';
import type { IndexedSearch } from './indexed-search.ts';
import { NameQueue } from './name-queue.ts';
import { filesArguments } from './ripgrep-arguments.ts';
import { runRipgrep, withWalkMemory } from './run-ripgrep.ts';
import { openBelow, openPlace, type SearchPlace } from './search-place.ts';

/** Text of a path in latin1. Nearly all are the same in both. */
const utf8 = (path: string): string => (ASCII.test(path) ? path : Buffer.from(path, 'latin1').toString());
const ASCII = /^\p{ASCII}*$/u;

/** A found file, with the name that ripgrep reports. */
interface Candidate {
  readonly found: Buffer;
  readonly modified: number;
}

interface Named {
  readonly name: string;
  readonly modified: number;
}

const newestFirst = (a: Named, b: Named): number => b.modified - a.modified || (a.name < b.name ? -1 : 1);

/** Keeps the newest of any number of files. Orders equally new files by path. */
class NewestFiles {
  readonly #limit: number;
  #kept: Named[] = [];
  #count = 0;
  /** Older files are not kept. */
  #oldest = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of files added. */
  get count(): number {
    return this.#count;
  }

  /** @param name one character per byte (latin1) */
  add(name: string, modified: number): void {
    this.#count += 1;
    if (modified < this.#oldest) return;
    this.#kept.push({ name, modified });
    if (this.#kept.length >= 2 * this.#limit + 1_000) this.#cut();
  }

  /** The kept files, newest first. */
  list(): readonly Candidate[] {
    this.#cut();
    return this.#kept.map(({ name, modified }) => ({ found: Buffer.from(name, 'latin1'), modified }));
  }

  #cut(): void {
    this.#kept = this.#kept.toSorted(newestFirst).slice(0, this.#limit);
    if (this.#kept.length === this.#limit) this.#oldest = this.#kept.at(-1)?.modified ?? -Infinity;
  }
}

/** Which files to find, and where. */
export interface FilesRequest {
  readonly globs: readonly string[];
  readonly path: string;
  readonly hidden: boolean;
  readonly ignore: boolean;
  readonly limit: number;
}

/** The current state of a found file. */
export interface FoundEntry {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
}

/** The result of a file search. */
export interface FileFindings {
  /** The newest of the found files, newest first. */
  readonly files: readonly FoundEntry[];
  /** Number of files found. */
  readonly collected: number;
  /** Why the search is incomplete; undefined if it is complete. */
  readonly stoppedBy: 'time' | undefined;
  /** Number of found names that do not exist (any more). */
  readonly changed: number;
  readonly unreadable: boolean;
  /** Ignore files that were not applied. */
  readonly leftOut: readonly string[];
  readonly sandbox: SandboxTier | undefined;
}

const NOTHING: FileFindings = { files: [], collected: 0, stoppedBy: undefined, changed: 0, unreadable: false, leftOut: [], sandbox: undefined };

/** The result of a walk, as of its time. */
export interface Listing extends Pick<FileFindings, 'collected' | 'stoppedBy' | 'unreadable' | 'leftOut' | 'sandbox'> {
  readonly chosen: readonly Candidate[];
}

/**
 * Returns a file's modification time, by name. Only used to choose which files to describe, and never shown,
 * because a parent folder may have become a link.
 */
function modifiedByName(directory: PinnedDirectory, found: Buffer): number {
  try {
    return lstatSync(joinNames(directory.self, [nameFromBytes(found)]), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    // The file cannot be inspected by name. If it is chosen anyway, inspecting it by handle decides.
    return 0;
  }
}

/** Inspects a chosen file through handles. Returns undefined if its name does not lead to a file of the workspace (any more). */
function describe(workspace: WorkspaceReader, path: string): FoundEntry | undefined {
  try {
    const { path: real, type, size, modified } = workspace.describe(path);
    return real === path && type === 'file' ? { path, size, modified } : undefined;
  } catch {
    // Deleted or replaced by a link in the meantime: no longer a result.
    return undefined;
  }
}

function described(shown: ReadonlyArray<{ readonly found: Buffer; readonly path: string }>, place: SearchPlace, workspace: Workspace): FoundEntry[] {
  const { descriptor, location } = place.directory;
  if (descriptor === undefined || place.isFile || workspace.isApart(location)) {
    const source = place.isFile ? workspace : workspace.asListed(location);
    return shown.map(({ path }) => describe(source, path)).filter((file) => file !== undefined);
  }
  using found = new FoundFiles(descriptor);
  const facts = new Map<string, ReturnType<FoundFiles['describe']>>();
  // In the order of the paths, each folder is opened once.
  for (const { found: name, path } of shown.toSorted((a, b) => Buffer.compare(a.found, b.found))) facts.set(path, found.describe(name));
  return shown.flatMap(({ path }) => {
    const known = facts.get(path);
    return known === undefined ? [] : [{ path, ...known }];
  });
}

/** The dependencies of {@link searchFiles}. */
export interface FileSearchParts {
  readonly processes: Processes;
  readonly program: (place: SearchPlace) => Promise<string>;
  readonly rules: IgnoreRules;
  /** Returns the index of the workspace; undefined if it has none. */
  readonly indexed: () => Promise<IndexedSearch | undefined>;
  /** Returns a cached listing, or creates one. */
  readonly remembered: (question: string, list: () => Promise<Listing>) => Promise<Listing>;
}

/** Finds files with ripgrep's walk, and verifies each name. */
export async function searchFiles(request: FilesRequest, workspace: Workspace, parts: FileSearchParts, signal: AbortSignal): Promise<FileFindings> {
  const filter = compileGlobs(request.globs);
  using given = openPlace(workspace, request.path);
  using deeper = filter.base.length === 0 ? undefined : openBelow(workspace, given, filter.base);
  if (filter.base.length > 0 && deeper === undefined) return NOTHING;
  const place = deeper ?? given;
  const question = JSON.stringify([displayPath(place.directory.location), place.argument, place.isFile, request]);
  const list = (): Promise<Listing> => listFiles(request, filter, place, workspace, parts, signal);
  const { chosen, ...listing } = workspace.isApart(place.directory.location) ? await list() : await parts.remembered(question, list);
  const paths = chosen.map(({ found }) => place.path(found));
  const mayList = listable(workspace);
  const shown = chosen.map(({ found }, at) => ({ found, path: paths[at] ?? '' })).filter(({ path }) => mayList(parentOf(path)));
  const files = described(shown, place, workspace);
  return {
    ...listing,
    collected: listing.collected - (paths.length - shown.length),
    files: files.toSorted((a, b) => b.modified - a.modified),
    changed: shown.length - files.length,
  };
}

/** Whether a folder may be listed, with all folders that it is in: each is judged once. */
function listable(workspace: Workspace): (folder: string) => boolean {
  const known = new Map([['', true]]);
  return function mayList(folder): boolean {
    const answer = known.get(folder) ?? (mayList(parentOf(folder)) && workspace.mayRead(folder));
    known.set(folder, answer);
    return answer;
  };
}

async function listFiles(
  { hidden, ignore, limit }: FilesRequest,
  filter: ReturnType<typeof compileGlobs>,
  place: SearchPlace,
  workspace: Workspace,
  { processes, program, rules, indexed }: FileSearchParts,
  signal: AbortSignal,
): Promise<Listing> {
  const { names, excludedNames } = filter;
  const rg = await program(place);
  return await rules.apply({ place, workspace, program: rg, ignore, signal }, async (ignoring, leftOut, watched) => {
    const isWanted = (below: readonly string[]): boolean => (hidden || !isHiddenBelow(below)) && filter.matches(below);
    const newest = new NewestFiles(limit);
    const isIndexed = watched !== undefined && !place.shallow && !workspace.isApart(place.directory.location);
    const index = isIndexed ? await indexed() : undefined;
    if (index !== undefined && watched !== undefined) {
      const mayEnd = pathsEndingIn(names);
      const unknown: string[] = [];
      const listed = await index.names(
        { place, workspace, watched, program: rg },
        endingsOf(names),
        (path) => mayEnd(path) && isWanted(utf8(path).split('/')),
        (path, modified) => (modified === undefined ? unknown.push(`./${path}`) : newest.add(`./${path}`, modified)),
      );
      const slice = new TimeSlice();
      for (const name of unknown) {
        newest.add(name, modifiedByName(place.directory, Buffer.from(name, 'latin1')));
        if (slice.isOver) await slice.next();
      }
      if (listed !== undefined)
        return { chosen: newest.list(), collected: newest.count, stoppedBy: undefined, unreadable: false, sandbox: listed.sandbox, leftOut: [] };
    }
    const walk = { place: place.argument, shallow: place.shallow, hidden, ignore: ignoring, names, excludedNames };
    const queue = new NameQueue((found) => {
      const below = place.names(found);
      if (below !== undefined && isWanted(below)) newest.add(found.toString('latin1'), modifiedByName(place.directory, found));
    }, signal);
    const argv = withWalkMemory([rg, ...filesArguments(walk)]);
    const { ended, unreadable, sandbox } = await runRipgrep(processes, argv, place.directory, signal, (chunk) => {
      queue.add(chunk);
      return 'more';
    });
    await queue.done();
    const isStopped = ended === 'aborted' || signal.aborted;
    const chosen = newest.list();
    const skipped = leftOut(chosen.map(({ found }) => place.path(found)));
    return { chosen, collected: newest.count, stoppedBy: isStopped ? 'time' : undefined, unreadable, sandbox, leftOut: skipped };
  });
}
