import type { ToolData } from '@synapse/hands';
import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { activeAreas, type ActiveArea, type Change } from './active-areas.ts';
import { isByBot, isMerge } from './commit-hints.ts';
import { readCommits, seenCommits, type RecentCommits, type SeenCommit } from './commits.ts';
import { findLeftovers, type Leftover } from './leftovers.ts';
import { readReferences, type References } from './read-references.ts';
import { readUncommitted, type Uncommitted } from './uncommitted.ts';

/** A folder of recent work with what shows it. */
export interface SeenArea extends ActiveArea {
  readonly evidence: readonly Evidence[];
}

/** A git repository as its calls have shown it. */
export interface Repository {
  readonly status: ToolData<'git_status'>;
  readonly statusEvidence: Evidence;
  readonly recent: RecentCommits | undefined;
  readonly uncommitted: Uncommitted;
  readonly references: References;
  readonly stash: SeenCommit | undefined;
}

/** What happened last, with git or without. */
export interface History {
  readonly repository: Repository | undefined;
  /** The answer that there is no repository, where that is so. */
  readonly noRepository: Evidence | undefined;
  /** Why git could not read the repository that is there, where that is so. */
  readonly unreadable: { readonly reason: string; readonly evidence: Evidence } | undefined;
  readonly areas: readonly SeenArea[];
  readonly leftovers: readonly Leftover[];
}

/** The change that is in no commit. */
export const UNCOMMITTED = 'uncommitted';

/** Recently committed files that are candidates for a look inside. */
const RECENT_FILES = 12;

/** The references of another worktree's repository lie outside the workspace. */
const NO_REFERENCES: References = { unmerged: [], release: undefined };

function seenAreas(changes: readonly (Change & { readonly evidence: Evidence })[]): SeenArea[] {
  const evidenceOf = new Map(changes.map(({ id, evidence }) => [id, evidence]));
  return activeAreas(changes).map((area) => ({ ...area, evidence: area.changes.flatMap((id) => evidenceOf.get(id) ?? []) }));
}

/** Where the files lie that were touched last, and what is left in them. */
async function withoutHistory(ask: Ask, structure: Structure, mayExist: (path: string) => boolean): Promise<Pick<History, 'areas' | 'leftovers'>> {
  // What git keeps there nobody worked on.
  if (structure.isBare) return { areas: [], leftovers: [] };
  const changes = structure.newest.map(({ path, modified, evidence }) => ({ id: path, time: modified, paths: [path], evidence }));
  const leftovers = await findLeftovers(ask, { conflicted: [], recent: structure.newest.map(({ path }) => path), mayExist });
  return { areas: seenAreas(changes), leftovers };
}

async function withHistory(ask: Ask, repository: Repository, mayExist: (path: string) => boolean): Promise<Pick<History, 'areas' | 'leftovers'>> {
  const { status, statusEvidence, uncommitted } = repository;
  const commits = repository.recent?.commits ?? [];
  // A merge names every file of what it joins, a second time.
  const own = commits.filter(({ message, author }) => !isMerge(message) && !isByBot(author));
  const work = own.length > 0 ? own : commits;
  const changes = [
    { id: UNCOMMITTED, time: undefined, paths: uncommitted.paths, evidence: statusEvidence },
    ...work.map(({ sha, time, files, evidence }) => ({ id: sha, time, paths: files, evidence })),
  ];
  const recent = [...uncommitted.paths, ...work.flatMap(({ files }) => files).slice(0, RECENT_FILES)];
  const leftovers = await findLeftovers(ask, { conflicted: status.conflicted.map(({ path }) => path), recent, mayExist });
  return { areas: seenAreas(changes), leftovers };
}

/** Step 3: where work happened last, and what is unfinished. */
export async function analyzeGit(ask: Ask, structure: Structure): Promise<History> {
  // A listing with holes proves nothing about what it does not show.
  const known = structure.partial || structure.evidence === undefined ? undefined : new Set(structure.paths);
  const mayExist = (path: string): boolean => known?.has(path) ?? true;
  const asked = ask('git_status', {}, { essential: true });
  const branch = asked.then((answer) => (answer.ok ? (answer.data.branch ?? '') : ''));
  // The status of a big repository takes long: where there surely is one, its history is read meanwhile.
  const early = structure.hasGitFolder ? Promise.all([readCommits(ask), readReferences(ask, branch)] as const) : undefined;
  const answer = await asked;
  if (!answer.ok) {
    await early;
    const noRepository = answer.code === 'not_a_repository' ? inAnswer(answer) : undefined;
    const isThere = structure.hasGitFolder && noRepository === undefined;
    const unreadable = isThere ? { reason: answer.reason, evidence: inAnswer(answer) } : undefined;
    return { repository: undefined, noRepository, unreadable, ...(await withoutHistory(ask, structure, mayExist)) };
  }
  const status = answer.data;
  const [[recent, references], uncommitted, stashed] = await Promise.all([
    early ?? readCommits(ask).then((commits) => [commits, NO_REFERENCES] as const),
    readUncommitted(ask, status),
    (status.stashes ?? 0) > 0 ? ask('git_log', { limit: 1, revision: 'refs/stash', files: false }) : undefined,
  ]);
  const stash = stashed?.ok === true ? seenCommits(stashed)[0] : undefined;
  const repository = { status, statusEvidence: inAnswer(answer), recent, uncommitted, references, stash };
  return { repository, noRepository: undefined, unreadable: undefined, ...(await withHistory(ask, repository, mayExist)) };
}
