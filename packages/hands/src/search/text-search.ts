import type { SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { compileGlobs, type GlobFilter } from './glob.ts';
import { isMatch, parseMatch, type MatchRecord } from './match-record.ts';
import { ProvableFile, type ProvenMatch } from './provable-file.ts';
import { RecordSplitter } from './record-splitter.ts';
import { textArguments, type Case } from './ripgrep-arguments.ts';
import { runRipgrep, withBoundedMemory } from './run-ripgrep.ts';
import { openBelow, openPlace, type SearchPlace } from './search-place.ts';
import { isHiddenBelow } from './hidden-name.ts';

/** What to search for, and where. */
export interface TextRequest {
  readonly pattern: string;
  readonly literal: boolean;
  readonly case: Case;
  readonly path: string;
  readonly globs: readonly string[];
  readonly hidden: boolean;
  readonly ignore: boolean;
  /** Lines to give before and after each match. */
  readonly context: number;
  /** Matching lines of one file; undefined for no such bound. */
  readonly perFile: number | undefined;
  readonly limit: number;
}

/** What a search found. */
export interface TextFindings {
  /** By path and line; where not all was searched, which ones these are may differ from call to call. */
  readonly matches: readonly ProvenMatch[];
  /** Why there may be more; undefined where everything was searched. */
  readonly stoppedBy: 'limit' | 'time' | undefined;
  /** Lines that were found but do not stand there (any more): files changed during the search. */
  readonly changed: number;
  /** Lines that match and are too long even to be read in part. */
  readonly tooLong: number;
  /** Whether this was a search of files in a folder, which leaves hidden and ignored ones out. */
  readonly inFolder: boolean;
  /** Whether there was something that could not be read. */
  readonly unreadable: boolean;
  readonly sandbox: SandboxTier | undefined;
}

/** In bytes. Where a walk met a line that its memory did not suffice for, files over this are left out of a second one. */
export const MAX_WALKED_FILE_BYTES = 16 * 1024 * 1024;

const NOTHING: TextFindings = {
  matches: [],
  stoppedBy: undefined,
  changed: 0,
  tooLong: 0,
  inFolder: true,
  unreadable: false,
  sandbox: undefined,
};

interface Candidate {
  readonly path: string;
  readonly record: MatchRecord;
}

/** Takes ripgrep's output and keeps the matches that were asked for, up to one more than the limit. */
class Candidates {
  readonly found: Candidate[] = [];
  tooLong = 0;
  readonly #splitter = new RecordSplitter();
  readonly #accept: (path: Buffer) => string | undefined;
  readonly #limit: number;
  #lastPath: Buffer | undefined;
  #lastShown: string | undefined;

  constructor(limit: number, accept: (path: Buffer) => string | undefined) {
    this.#limit = limit;
    this.#accept = accept;
  }

  take(chunk: Buffer): 'more' | 'enough' {
    for (const record of this.#splitter.push(chunk)) {
      if (record !== undefined && !isMatch(record)) continue;
      const match = record === undefined ? undefined : parseMatch(record);
      if (match === undefined) {
        this.tooLong += 1;
        continue;
      }
      if (this.#lastPath?.equals(match.path) !== true) {
        this.#lastPath = match.path;
        this.#lastShown = this.#accept(match.path);
      }
      if (this.#lastShown === undefined) continue;
      this.found.push({ path: this.#lastShown, record: match });
      if (this.found.length > this.#limit) return 'enough';
    }
    return 'more';
  }
}

/** Proves candidates in turn, each file opened once as long as its lines come together. */
async function proveAll(workspace: Workspace, candidates: readonly Candidate[], context: number): Promise<ProvenMatch[]> {
  const proven: ProvenMatch[] = [];
  let path: string | undefined;
  let file: ProvableFile | undefined;
  try {
    for (const candidate of candidates) {
      if (candidate.path !== path) {
        file?.[Symbol.dispose]();
        path = candidate.path;
        file = await ProvableFile.open(workspace, path);
      }
      const match = await file?.prove(candidate.record, context);
      if (match !== undefined) proven.push(match);
    }
  } finally {
    file?.[Symbol.dispose]();
  }
  return proven;
}

const byPlace = (a: ProvenMatch, b: ProvenMatch): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);

/** Tells what of ripgrep's findings was asked for, and may be shown. */
function acceptor(place: SearchPlace, filter: GlobFilter, hidden: boolean, workspace: Workspace): (found: Buffer) => string | undefined {
  return (found) => {
    const names = place.names(found);
    const isWanted = names !== undefined && (place.isFile || ((hidden || !isHiddenBelow(names)) && filter.matches(names)));
    if (!isWanted) return undefined;
    const path = place.path(found);
    // Of the others nothing is said, not even how many match: from that, a secret could be guessed letter by letter.
    return workspace.mayRead(path) ? path : undefined;
  };
}

/** Searches the lines of files with ripgrep, and proves each line that it gives. */
export async function searchText(
  request: TextRequest,
  workspace: Workspace,
  processes: Processes,
  program: (place: SearchPlace) => Promise<string>,
  signal: AbortSignal,
): Promise<TextFindings> {
  const { limit, perFile, hidden, ignore } = request;
  const globs = compileGlobs(request.globs);
  using given = openPlace(workspace, request.path);
  const filter = given.isFile ? compileGlobs([]) : globs;
  using deeper = filter.base.length === 0 ? undefined : openBelow(workspace, given, filter.base);
  if (filter.base.length > 0 && deeper === undefined) return NOTHING;
  const place = deeper ?? given;
  const walk = {
    place: place.argument,
    shallow: place.shallow,
    hidden: hidden || place.shallow,
    ignore: ignore && !place.shallow,
    names: filter.names,
    excludedNames: filter.excludedNames,
  };
  const rg = await program(place);
  const run = async (maxFileBytes: number | undefined, bound = (argv: readonly [string, ...string[]]) => argv) => {
    const match = { ...request, perFile: Math.min(perFile ?? limit + 1, limit + 1), maxFileBytes };
    const candidates = new Candidates(limit, acceptor(place, filter, hidden, workspace));
    const argv = bound([rg, ...textArguments(walk, match)]);
    return { candidates, ...(await runRipgrep(processes, argv, place.directory, signal, (chunk) => candidates.take(chunk))) };
  };
  // A named file is searched whatever its size. A walk is tried without looking at sizes first.
  let outcome = await run(undefined, place.isFile ? undefined : withBoundedMemory);
  if (outcome.ended === 'exhausted' && !place.isFile) outcome = await run(MAX_WALKED_FILE_BYTES);
  const { candidates, ended, unreadable, sandbox } = outcome;
  const proven = await proveAll(workspace, candidates.found, request.context);
  return {
    matches: proven.toSorted(byPlace).slice(0, limit),
    stoppedBy: ended === 'enough' ? 'limit' : ended === 'aborted' ? 'time' : undefined,
    changed: candidates.found.length - proven.length,
    tooLong: candidates.tooLong,
    inFolder: !place.isFile,
    unreadable,
    sandbox,
  };
}
