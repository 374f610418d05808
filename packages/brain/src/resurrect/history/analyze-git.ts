import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { gitLog, gitStatus, type GitStatusAnswer } from '../tool-answers.ts';
import { activeAreas, type ActiveArea, type Change } from './active-areas.ts';
import { isMerge } from './commit-hints.ts';
import { readCommits, seenCommits, type RecentCommits, type SeenCommit } from './commits.ts';
import { findLeftovers, type Leftover } from './leftovers.ts';
import { readReferences, type References } from './read-references.ts';
import { readUncommitted, uncommittedPaths, type Uncommitted } from './uncommitted.ts';

/** A folder of recent work with what shows it. */
export interface SeenArea extends ActiveArea {
  readonly evidence: readonly Evidence[];
}

/** A git repository as its calls have shown it. */
export interface Repository {
  readonly status: GitStatusAnswer;
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
  readonly areas: readonly SeenArea[];
  readonly leftovers: readonly Leftover[];
}

/** The change that is in no commit. */
export const UNCOMMITTED = 'uncommitted';

/** Recently committed files that are candidates for a look inside. */
const RECENT_FILES = 12;

const NO_REFERENCES: References = { unmerged: [], release: undefined };

function seenAreas(changes: readonly (Change & { readonly evidence: Evidence })[]): SeenArea[] {
  const evidenceOf = new Map(changes.map(({ id, evidence }) => [id, evidence]));
  return activeAreas(changes).map((area) => ({ ...area, evidence: area.changes.flatMap((id) => evidenceOf.get(id) ?? []) }));
}

async function readRepository(ask: Ask, status: GitStatusAnswer, statusEvidence: Evidence, structure: Structure): Promise<Repository> {
  const [recent, uncommitted, references, stashed] = await Promise.all([
    readCommits(ask),
    readUncommitted(ask, status),
    structure.hasGitFolder ? readReferences(ask, status.branch ?? '') : NO_REFERENCES,
    (status.stashes ?? 0) > 0 ? ask(gitLog({ limit: 1, revision: 'refs/stash', files: false })) : undefined,
  ]);
  return { status, statusEvidence, recent, uncommitted, references, stash: stashed?.ok === true ? seenCommits(stashed)[0] : undefined };
}

/** Step 3: where work happened last, and what is unfinished. */
export async function analyzeGit(ask: Ask, structure: Structure): Promise<History> {
  const answer = await ask(gitStatus(), { essential: true });
  // A listing with holes proves nothing about what it does not show.
  const known = structure.partial || structure.evidence === undefined ? undefined : new Set(structure.paths);
  const mayExist = (path: string): boolean => known?.has(path) ?? true;
  if (!answer.ok) {
    const changes = structure.newest.map(({ path, modified, evidence }) => ({ id: path, time: modified, paths: [path], evidence }));
    const leftovers = await findLeftovers(ask, { conflicted: [], recent: structure.newest.map(({ path }) => path), mayExist });
    const isNone = answer.code === 'not_a_repository';
    return { repository: undefined, noRepository: isNone ? inAnswer(answer) : undefined, areas: seenAreas(changes), leftovers };
  }
  const status = answer.data;
  const repository = await readRepository(ask, status, inAnswer(answer), structure);
  const commits = repository.recent?.commits ?? [];
  const open = uncommittedPaths(status);
  // A merge names every file of what it joins, a second time.
  const work = commits.some(({ message }) => !isMerge(message)) ? commits.filter(({ message }) => !isMerge(message)) : commits;
  const changes = [
    { id: UNCOMMITTED, time: undefined, paths: open, evidence: repository.statusEvidence },
    ...work.map(({ sha, time, files, evidence }) => ({ id: sha, time, paths: files, evidence })),
  ];
  const committed = work.flatMap(({ files }) => files).slice(0, RECENT_FILES);
  const leftovers = await findLeftovers(ask, {
    conflicted: status.conflicted,
    recent: [...open, ...committed],
    mayExist,
  });
  return { repository, noRepository: undefined, areas: seenAreas(changes), leftovers };
}
