import { lstatSync } from 'node:fs';
import type { SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import { joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { compileGlobs } from './glob.ts';
import { isHiddenBelow } from './hidden-name.ts';
import { NameSplitter } from './name-splitter.ts';
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
  /** The newest of what was collected, newest first. */
  readonly files: readonly FoundEntry[];
  /** How many were collected. */
  readonly collected: number;
  /** Why not all were collected; undefined where they were. */
  readonly stoppedBy: 'limit' | 'time' | undefined;
  /** Names that were found but are not there (any more). */
  readonly changed: number;
  readonly unreadable: boolean;
  readonly sandbox: SandboxTier | undefined;
}

/** Enough to find the newest among, and about 4 MB of memory. */
export const MAX_COLLECTED = 20_000;

const NOTHING: FileFindings = { files: [], collected: 0, stoppedBy: undefined, changed: 0, unreadable: false, sandbox: undefined };

interface Candidate {
  readonly found: Buffer;
  readonly modified: number;
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

/** The newest first; of equally new ones, by path. */
function choose(candidates: readonly Candidate[], limit: number): Candidate[] {
  return candidates.toSorted((a, b) => b.modified - a.modified || Buffer.compare(a.found, b.found)).slice(0, limit);
}

/** Finds files with ripgrep's walk, and proves each name that it gives. */
export async function searchFiles(
  request: FilesRequest,
  workspace: Workspace,
  processes: Processes,
  program: (place: SearchPlace) => Promise<string>,
  signal: AbortSignal,
): Promise<FileFindings> {
  const { hidden, ignore, limit } = request;
  const filter = compileGlobs(request.globs);
  using given = openPlace(workspace, request.path);
  using deeper = filter.base.length === 0 ? undefined : openBelow(workspace, given, filter.base);
  if (filter.base.length > 0 && deeper === undefined) return NOTHING;
  const place = deeper ?? given;
  const walk = { place: place.argument, shallow: place.shallow, hidden, ignore, names: filter.names, excludedNames: filter.excludedNames };
  const splitter = new NameSplitter();
  const candidates: Candidate[] = [];
  const take = (chunk: Buffer): 'more' | 'enough' => {
    for (const found of splitter.push(chunk)) {
      const names = place.names(found);
      if (names === undefined || (!hidden && isHiddenBelow(names)) || !filter.matches(names)) continue;
      candidates.push({ found, modified: modifiedByName(place.directory, found) });
      if (candidates.length >= MAX_COLLECTED) return 'enough';
    }
    return 'more';
  };
  const argv = [await program(place), ...filesArguments(walk)] as const;
  const { ended, unreadable, sandbox } = await runRipgrep(processes, argv, place.directory, signal, take);
  const chosen = choose(candidates, limit);
  const files = chosen.map(({ found }) => describe(workspace, place.path(found))).filter((file) => file !== undefined);
  return {
    files: files.toSorted((a, b) => b.modified - a.modified),
    collected: candidates.length,
    stoppedBy: ended === 'enough' ? 'limit' : ended === 'aborted' ? 'time' : undefined,
    changed: chosen.length - files.length,
    unreadable,
    sandbox,
  };
}
