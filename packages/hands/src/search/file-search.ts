import { lstatSync } from 'node:fs';
import type { SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import { displayPath, joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { compileGlobs } from './glob.ts';
import { isHiddenBelow } from './hidden-name.ts';
import { NameQueue } from './name-queue.ts';
import { NewestFiles, type Candidate } from './newest-files.ts';
import { filesArguments } from './ripgrep-arguments.ts';
import { runRipgrep } from './run-ripgrep.ts';
import { openBelow, openPlace, type SearchPlace } from './search-place.ts';

/** Which files to find, and where. */
export interface FilesRequest {
  readonly globs: readonly string[];
  readonly path: string;
  readonly hidden: boolean;
  readonly ignore: boolean;
  readonly limit: number;
}

/** A file that was found, as it is now. */
export interface FoundEntry {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** What a search for files found. */
export interface FileFindings {
  /** The newest of what was found, newest first. */
  readonly files: readonly FoundEntry[];
  /** How many were found. */
  readonly collected: number;
  /** Why not all were found; undefined where they were. */
  readonly stoppedBy: 'time' | undefined;
  /** Names that were found but are not there (any more). */
  readonly changed: number;
  readonly unreadable: boolean;
  readonly sandbox: SandboxTier | undefined;
}

const NOTHING: FileFindings = { files: [], collected: 0, stoppedBy: undefined, changed: 0, unreadable: false, sandbox: undefined };

/** What a walk found, as it was then. */
export interface Listing extends Pick<FileFindings, 'collected' | 'stoppedBy' | 'unreadable' | 'sandbox'> {
  readonly chosen: readonly Candidate[];
}

/**
 * When a file was changed, by its name: good enough to choose which ones to look at, and never shown.
 * A folder on the way may be a link by now.
 */
function modifiedByName(directory: PinnedDirectory, found: Buffer): number {
  try {
    return lstatSync(joinNames(directory.self, [nameFromBytes(found)]), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    // Not to be looked at: if it is chosen all the same, looking at it by handle decides.
    return 0;
  }
}

/** Looks at a chosen file through handles. Undefined where its name does not lead to a file of the workspace (any more). */
function describe(workspace: Workspace, path: string): FoundEntry | undefined {
  try {
    const { path: real, type, size, modified } = workspace.describe(path);
    return real === path && type === 'file' ? { path, size, modified } : undefined;
  } catch {
    // Deleted or swapped for a link since: no longer a result.
    return undefined;
  }
}

/** What {@link searchFiles} needs. */
export interface FileSearchParts {
  readonly processes: Processes;
  readonly program: (place: SearchPlace) => Promise<string>;
  /** Gives a listing that is known, or the one that is made. */
  readonly remembered: (question: string, list: () => Promise<Listing>) => Promise<Listing>;
}

/** Finds files with ripgrep's walk, and proves each name that it gives. */
export async function searchFiles(request: FilesRequest, workspace: Workspace, parts: FileSearchParts, signal: AbortSignal): Promise<FileFindings> {
  const filter = compileGlobs(request.globs);
  using given = openPlace(workspace, request.path);
  using deeper = filter.base.length === 0 ? undefined : openBelow(workspace, given, filter.base);
  if (filter.base.length > 0 && deeper === undefined) return NOTHING;
  const place = deeper ?? given;
  const question = JSON.stringify([displayPath(place.directory.location), place.argument, place.isFile, request]);
  const { chosen, ...listing } = await parts.remembered(question, () => listFiles(request, filter, place, parts, signal));
  const files = chosen.map(({ found }) => describe(workspace, place.path(found))).filter((file) => file !== undefined);
  return { ...listing, files: files.toSorted((a, b) => b.modified - a.modified), changed: chosen.length - files.length };
}

async function listFiles(
  { hidden, ignore, limit }: FilesRequest,
  filter: ReturnType<typeof compileGlobs>,
  place: SearchPlace,
  { processes, program }: FileSearchParts,
  signal: AbortSignal,
): Promise<Listing> {
  const walk = { place: place.argument, shallow: place.shallow, hidden, ignore, names: filter.names, excludedNames: filter.excludedNames };
  const newest = new NewestFiles(limit);
  const queue = new NameQueue((found) => {
    const names = place.names(found);
    if (names === undefined || (!hidden && isHiddenBelow(names)) || !filter.matches(names)) return;
    newest.add({ found, modified: modifiedByName(place.directory, found) });
  }, signal);
  const argv = [await program(place), ...filesArguments(walk)] as const;
  const { ended, unreadable, sandbox } = await runRipgrep(processes, argv, place.directory, signal, (chunk) => {
    queue.add(chunk);
    return 'more';
  });
  await queue.done();
  return {
    chosen: newest.list(),
    collected: newest.count,
    stoppedBy: ended === 'aborted' || signal.aborted ? 'time' : undefined,
    unreadable,
    sandbox,
  };
}
