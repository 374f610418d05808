import type { SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { WorkspaceReader } from '../workspace/workspace-reader.ts';
import { compileGlobs, type GlobFilter, isHiddenBelow } from './glob.ts';
import type { IndexedSearch } from './indexed-search.ts';
import { isMatch, parseMatch, type MatchRecord } from './match-record.ts';
import { VerifiedFile, type VerifiedMatch } from './verified-match.ts';
import { JsonLineSplitter } from './json-line-splitter.ts';
import { type IgnoreRules, withRules } from './ignore-search.ts';
import { OWN_IGNORE_FILES, textArguments, type Case } from './ripgrep-arguments.ts';
import { runRipgrep, withWalkMemory } from './run-ripgrep.ts';
import { openBelow, openPlace, type SearchPlace } from './search-place.ts';

/** What to search for, and where. */
export interface TextRequest {
  readonly pattern: string;
  readonly literal: boolean;
  readonly case: Case;
  readonly path: string;
  readonly globs: readonly string[];
  readonly hidden: boolean;
  readonly ignore: boolean;
  /** Number of lines before and after each match. */
  readonly context: number;
  /** Maximum number of matching lines per file; undefined for no maximum. */
  readonly perFile: number | undefined;
  readonly limit: number;
}

/** The result of a text search. */
export interface TextFindings {
  /** Sorted by path and line. If the search is incomplete, the selection may differ from call to call. */
  readonly matches: readonly VerifiedMatch[];
  /** Why there may be more matches; undefined if everything was searched. */
  readonly stoppedBy: 'limit' | 'time' | undefined;
  /** Number of reported lines that do not exist (any more): files changed during the search. */
  readonly changed: number;
  /** Number of matching lines that are too long to read even in part. */
  readonly tooLong: number;
  /** Whether the search was in a folder, where hidden and ignored files are skipped. */
  readonly inFolder: boolean;
  /** Whether something could not be read. */
  readonly unreadable: boolean;
  /** Ignore files that were not applied. */
  readonly leftOut: readonly string[];
  readonly sandbox: SandboxTier | undefined;
}

/** Maximum file size, in bytes, of the second walk, which follows if the first ran out of memory because of a long line. */
export const MAX_WALKED_FILE_BYTES = 16 * 1024 * 1024;

const UNREAD: ReadonlyMap<string, Buffer> = new Map();

const NOTHING: TextFindings = {
  matches: [],
  stoppedBy: undefined,
  changed: 0,
  tooLong: 0,
  inFolder: true,
  unreadable: false,
  leftOut: [],
  sandbox: undefined,
};

interface Candidate {
  readonly path: string;
  readonly record: MatchRecord;
}

/** Parses ripgrep's output and keeps the requested matches, up to one more than the limit. */
class Candidates {
  readonly found: Candidate[] = [];
  tooLong = 0;
  readonly #splitter = new JsonLineSplitter();
  readonly #accept: (path: Buffer) => string | undefined;
  readonly #limit: number;
  #read: ReadonlyMap<string, Buffer> = UNREAD;
  #lastPath: Buffer | undefined;
  #lastShown: string | undefined;

  /**
   * @param known matches that were found before
   * @param read the files that they are from, by their shown paths. ripgrep sees them again where a rule of the repository brings back what the
   * rules of a narrowed walk leave out
   */
  constructor(limit: number, accept: (path: Buffer) => string | undefined, known: readonly MatchRecord[], read = UNREAD) {
    this.#limit = limit;
    this.#accept = accept;
    for (const match of known) this.#add(match);
    this.#read = read;
    this.#lastPath = undefined;
  }

  take(chunk: Buffer): 'more' | 'enough' {
    for (const record of this.#splitter.push(chunk)) {
      if (record !== undefined && !isMatch(record)) continue;
      const match = record === undefined ? undefined : parseMatch(record);
      if (match === undefined) {
        this.tooLong += 1;
        continue;
      }
      if (this.#add(match) === 'enough') return 'enough';
    }
    return 'more';
  }

  #add(match: MatchRecord): 'more' | 'enough' {
    if (this.#lastPath?.equals(match.path) !== true) {
      this.#lastPath = match.path;
      const shown = this.#accept(match.path);
      this.#lastShown = shown === undefined || this.#read.has(shown) ? undefined : shown;
    }
    if (this.#lastShown === undefined) return 'more';
    this.found.push({ path: this.#lastShown, record: match });
    return this.found.length > this.#limit ? 'enough' : 'more';
  }
}

/** Verifies candidates in order. Opens a file once for consecutive lines. @param read files that were just read by handle */
async function verifyAll(
  workspace: WorkspaceReader,
  candidates: readonly Candidate[],
  context: number,
  read: ReadonlyMap<string, Buffer>,
): Promise<VerifiedMatch[]> {
  const verified: VerifiedMatch[] = [];
  let path: string | undefined;
  let file: VerifiedFile | undefined;
  try {
    for (const candidate of candidates) {
      if (candidate.path !== path) {
        file?.[Symbol.dispose]();
        path = candidate.path;
        const bytes = read.get(path);
        if (bytes !== undefined) workspace.noteRead(path);
        file = bytes === undefined ? await VerifiedFile.open(workspace, path) : VerifiedFile.read(path, bytes);
      }
      const match = await file?.verify(candidate.record, context);
      if (match !== undefined) verified.push(match);
    }
  } finally {
    file?.[Symbol.dispose]();
  }
  return verified;
}

const byPlace = (a: VerifiedMatch, b: VerifiedMatch): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);

/** Selects the results of ripgrep that were requested and may be shown. */
function acceptor(place: SearchPlace, filter: GlobFilter, hidden: boolean, workspace: Workspace): (found: Buffer) => string | undefined {
  return (found) => {
    const names = place.names(found);
    const isWanted = names !== undefined && (place.isFile || ((hidden || !isHiddenBelow(names)) && filter.matches(names)));
    if (!isWanted) return undefined;
    const path = place.path(found);
    // Other files are not mentioned, not even as a number of matches: a secret could be guessed from it letter by letter.
    return workspace.mayRead(path) ? path : undefined;
  };
}

/** The dependencies of {@link searchText}. */
interface TextSearchParts {
  readonly program: (place: SearchPlace) => Promise<string>;
  readonly rules: IgnoreRules;
  /** Returns the index of the workspace; undefined if it has none. */
  readonly indexed: () => Promise<IndexedSearch | undefined>;
}

/** Searches the lines of files with ripgrep, and verifies each line. */
export async function searchText(
  request: TextRequest,
  workspace: Workspace,
  processes: Processes,
  { program, rules: ignoreRules, indexed }: TextSearchParts,
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
    names: filter.names,
    excludedNames: filter.excludedNames,
  };
  const rg = await program(place);
  const outcome = await ignoreRules.apply({ place, workspace, program: rg, ignore, signal }, async (ignoring, leftOut, watched) => {
    const accept = acceptor(place, filter, hidden, workspace);
    const isIndexed = watched !== undefined && !place.shallow && !workspace.isApart(place.directory.location);
    const index = isIndexed ? await indexed() : undefined;
    const run = async (maxFileBytes: number | undefined, bound = (argv: readonly [string, ...string[]]) => argv) => {
      const match = { ...request, perFile: Math.min(perFile ?? limit + 1, limit + 1), maxFileBytes };
      const ripgrep = async (ignore: readonly string[], found: readonly MatchRecord[], read = UNREAD) => {
        const candidates = new Candidates(limit, accept, found, read);
        const argv = bound([rg, ...textArguments({ ...walk, ignore }, match)]);
        const ran = await runRipgrep(processes, argv, place.directory, signal, (chunk) => candidates.take(chunk));
        return { candidates, leftOut: leftOut(candidates.found.map(({ path }) => path)), read, ...ran };
      };
      // The second run leaves out large files, of which the index knows nothing.
      const isWhole = index !== undefined && watched !== undefined && maxFileBytes === undefined;
      const narrowed = isWhole
        ? await index.text({ place, workspace, watched, program: rg, accept, request, perFile: match.perFile, limit })
        : undefined;
      if (watched === undefined || narrowed === undefined) return await ripgrep(ignoring, []);
      const { records, rules, sandbox, read } = narrowed;
      if (rules === undefined) {
        const ended = records.length > limit ? ('enough' as const) : ('complete' as const);
        return { candidates: new Candidates(limit, accept, records), leftOut: [], ended, unreadable: false, sandbox, read };
      }
      const ran = await withRules(OWN_IGNORE_FILES, [...rules, ...watched.lines], (all) => ripgrep(all, records, read));
      // Without the rules, ripgrep has enough much sooner.
      return ran.ended === 'enough' ? await ripgrep(ignoring, []) : ran;
    };
    // A named file is searched at any size. A walk first runs without a size limit.
    const ran = await run(undefined, place.isFile ? undefined : withWalkMemory);
    return ran.ended === 'exhausted' && !place.isFile ? await run(MAX_WALKED_FILE_BYTES, withWalkMemory) : ran;
  });
  const { candidates, ended, unreadable, leftOut, sandbox } = outcome;
  const verified = await verifyAll(
    place.isFile ? workspace : workspace.asListed(place.directory.location),
    candidates.found,
    request.context,
    outcome.read,
  );
  return {
    matches: verified.toSorted(byPlace).slice(0, limit),
    stoppedBy: ended === 'enough' ? 'limit' : ended === 'aborted' ? 'time' : undefined,
    changed: candidates.found.length - verified.length,
    tooLong: candidates.tooLong,
    inFolder: !place.isFile,
    unreadable,
    leftOut,
    sandbox,
  };
}
