import { inAnswer } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { findBrokenImports, type BrokenImport } from './broken-imports.ts';
import type { RecentCommits, SeenCommit } from './commits.ts';
import { findHalfMoves, findPairs, type Pair, type SeenPatch, type StillUsed } from './half-moves.ts';
import { findLeftovers, type IsRecentLine, type Leftover } from './leftovers.ts';
import { findNotes, type Notes } from './notes.ts';
import { patchedFiles } from './patch-lines.ts';
import { readRecentTexts, type RecentPlaces } from './recent-texts.ts';

/** Unfinished work in the files. */
export interface Unfinished {
  readonly leftovers: readonly Leftover[];
  readonly stillUsed: readonly StillUsed[];
  readonly brokenImports: readonly BrokenImport[];
  readonly pairs: readonly Pair[];
  /** Notes in all files; undefined if there are none, or too many. */
  readonly notes: Notes | undefined;
}

/** Number of recent commits whose work may be unfinished. */
const LATE_COMMITS = 10;
/** Days before the newest commit. Relative to it, so dormant projects work too. */
const LATE_DAYS = 180;
const DAY_MS = 86_400_000;
/** Minimum length of a meaningful line in characters. Shorter ones, such as a brace, are added everywhere. */
const TELLING = 4;

/** Returns the recent commits, and the one before them. */
function lateCommits({ commits, more }: RecentCommits): { late: readonly SeenCommit[]; before: SeenCommit | undefined; isAll: boolean } {
  const newest = commits[0]?.time ?? Infinity;
  const end = commits.findIndex(({ time }, index) => index >= LATE_COMMITS || newest - (time ?? newest) > LATE_DAYS * DAY_MS);
  const late = end === -1 ? commits : commits.slice(0, end);
  const isAll = end === -1 && !more;
  // Nothing precedes the first commit of the repository, so the diff begins after it.
  return { late, before: end === -1 ? late.at(-1) : commits[end], isAll };
}

async function committedPatch(ask: Ask, late: readonly SeenCommit[], before: SeenCommit | undefined): Promise<SeenPatch[]> {
  const [newest] = late;
  if (newest === undefined || before === undefined || before.sha === newest.sha) return [];
  const answer = await ask('git_diff', { revision: `${before.sha}..${newest.sha}`, context: 0 });
  const gone = late.filter(({ sha }) => sha !== before.sha).flatMap((commit) => commit.gone);
  return answer.ok ? [{ files: patchedFiles(answer.data.patch), gone, committed: true, evidence: inAnswer(answer) }] : [];
}

/** Whether a patch added a line, by file. */
function recentLines(patches: readonly SeenPatch[]): IsRecentLine {
  const added = new Map<string, Set<string>>();
  for (const { path, added: lines } of patches.flatMap(({ files }) => files)) {
    const known = added.get(path) ?? new Set();
    for (const line of lines) if (line.trim().length >= TELLING) known.add(line.trimEnd());
    added.set(path, known);
  }
  return (path, line) => added.get(path)?.has(line.trimEnd()) === true;
}

/** Finds unfinished work in a folder without history, where all lines count as recent. */
export async function unfinishedWithoutHistory(ask: Ask, places: RecentPlaces, known: ReadonlySet<string> | undefined): Promise<Unfinished> {
  const [texts, notes] = await Promise.all([readRecentTexts(ask, places), findNotes(ask, () => false)]);
  return {
    notes,
    leftovers: findLeftovers(texts, () => true),
    stillUsed: [],
    brokenImports: known === undefined ? [] : await findBrokenImports(ask, texts, known),
    pairs: known === undefined ? [] : findPairs(known, new Set(places.recent)),
  };
}

/** Finds unfinished work in recently changed files. */
export async function findUnfinished(
  ask: Ask,
  {
    recent,
    open,
    untracked,
    places,
    known,
    listed,
  }: {
    readonly recent: RecentCommits;
    readonly open: readonly SeenPatch[];
    readonly untracked: readonly string[];
    readonly places: RecentPlaces;
    /** All files; undefined if the listing is incomplete. */
    readonly known: ReadonlySet<string> | undefined;
    /** All listed files, even if the listing is incomplete. */
    readonly listed: ReadonlySet<string>;
  },
): Promise<Unfinished> {
  const { late, before, isAll } = lateCommits(recent);
  const [committed, texts] = await Promise.all([committedPatch(ask, late, before), readRecentTexts(ask, places)]);
  const patches = [...open, ...committed];
  const isAdded = recentLines(patches);
  const isNew = new Set(untracked);
  const isRecent: IsRecentLine = (path, line) => isAll || isNew.has(path) || isAdded(path, line);
  const [stillUsed, brokenImports, notes] = await Promise.all([
    findHalfMoves(ask, patches, known),
    findBrokenImports(ask, texts, listed),
    findNotes(ask, isRecent),
  ]);
  const touched = new Set([...untracked, ...patches.flatMap(({ files }) => files.map(({ path }) => path))]);
  const leftovers = findLeftovers(texts, isRecent);
  // The search also finds notes in files that were not read, but it does not see whether a line is a comment.
  const read = new Set(texts.map(({ path }) => path));
  return {
    notes,
    leftovers: [...leftovers, ...(notes?.recent ?? []).filter(({ path }) => !read.has(path))],
    stillUsed,
    brokenImports,
    pairs: known === undefined ? [] : findPairs(known, touched),
  };
}

/** Returns all files of a project; undefined if the listing is incomplete, because it cannot prove that a file is missing. */
export function knownFiles({ partial, evidence, paths }: Structure): ReadonlySet<string> | undefined {
  return partial || evidence === undefined ? undefined : new Set(paths);
}
