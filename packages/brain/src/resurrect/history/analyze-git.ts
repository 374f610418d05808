import type { ToolData } from '@synapse/hands';
import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask, NoAnswer } from '../call-log.ts';
import { NO_METADATA, type Metadata } from '../metadata/read-metadata.ts';
import type { Structure } from '../structure/discover-structure.ts';
import { findInnerRepositories, NO_REPOSITORIES, type InnerRepositories } from './inner-repositories.ts';
import { readRebasedBranch, type RebasedBranch } from './rebased-branch.ts';
import { activeAreas, recentChanges, type ActiveArea, type Change } from './active-areas.ts';
import { readCommits, seenCommits, type RecentCommits, type SeenCommit } from './commits.ts';
import { findQuietPackages, type QuietPackage } from './quiet-packages.ts';
import { readReferences, type References } from './read-references.ts';
import { findEmptySubmodules, type EmptySubmodule } from './submodules.ts';
import { readTestRecords, type FailedRun } from './test-records.ts';
import { readUncommitted, type Uncommitted } from './uncommitted.ts';
import { findUnfinished, knownFiles, unfinishedWithoutHistory, type Unfinished } from './unfinished.ts';
import { upkeepOf } from './upkeep.ts';

/** An area of recent work with its evidence. */
export interface SeenArea extends ActiveArea {
  readonly evidence: readonly Evidence[];
}

/** A git repository, as seen by the calls. */
export interface Repository {
  readonly status: ToolData<'git_status'>;
  readonly statusEvidence: Evidence;
  readonly recent: RecentCommits | undefined;
  readonly uncommitted: Uncommitted;
  readonly references: References;
  readonly stash: SeenCommit | undefined;
  /** The branch that a rebase in progress began with. */
  readonly rebased: RebasedBranch | undefined;
  /** The recent commits without merges, dependency updates and releases; all commits if no others exist. */
  readonly work: readonly SeenCommit[];
  readonly emptySubmodules: readonly EmptySubmodule[];
  readonly quietPackages: readonly QuietPackage[];
}

/** The recent activity, with or without git. */
export interface History {
  readonly repository: Repository | undefined;
  /** The call that reported a missing repository. */
  readonly noRepository: Evidence | undefined;
  /** The reason git could not read an existing repository. */
  readonly unreadable: { readonly reason: string; readonly evidence: Evidence } | undefined;
  /** The repositories directly in a folder that is none itself. */
  readonly inner: InnerRepositories;
  readonly areas: readonly SeenArea[];
  /** Ids of the changes that the areas' shares refer to, newest first: commits, and maybe {@link UNCOMMITTED}. */
  readonly counted: readonly string[];
  readonly unfinished: Unfinished;
  /** The last recorded test run, if it failed. */
  readonly failedRun: FailedRun | undefined;
}

/** The id of the uncommitted changes. */
export const UNCOMMITTED = 'uncommitted';

/** Maximum number of recently committed files to consider reading. */
const RECENT_FILES = 24;
/** Milliseconds. Files modified within such a span were unpacked or copied, so their times are meaningless. */
const UNPACKED_MS = 60_000;

/** Used if the `.git` folder is outside the workspace, as in a worktree. */
const NO_REFERENCES: References = { unmerged: [], main: undefined, release: undefined };
const NOTHING_UNFINISHED: Unfinished = { leftovers: [], stillUsed: [], brokenImports: [], pairs: [], notes: undefined };

/** The results of inspecting files, with or without history. */
type Found = Pick<History, 'areas' | 'counted' | 'unfinished'>;

function seenAreas(changes: readonly (Change & { readonly evidence: Evidence })[]): Pick<History, 'areas' | 'counted'> {
  const counted = recentChanges(changes);
  const evidenceOf = new Map(counted.map(({ id, evidence }) => [id, evidence]));
  const areas = activeAreas(counted).map((area) => ({ ...area, evidence: area.changes.flatMap((id) => evidenceOf.get(id) ?? []) }));
  return { areas, counted: counted.map(({ id }) => id) };
}

/** Whether the files look as if they were unpacked or copied together, so that their times say nothing about work. */
export function lookUnpacked({ newest, sampled }: Structure): boolean {
  const [first, last] = [newest[0]?.modified ?? 0, newest.at(-1)?.modified ?? 0];
  return sampled > newest.length && first - last < UNPACKED_MS;
}

/** Finds the most recently modified files and their leftovers. */
async function withoutHistory(ask: Ask, structure: Structure): Promise<Found> {
  // Git's own files are not work.
  if (structure.isBare) return { areas: [], counted: [], unfinished: NOTHING_UNFINISHED };
  const { newest } = structure;
  const changes = newest.map(({ path, modified, evidence }) => ({ id: path, time: modified, paths: [path], evidence }));
  const known = knownFiles(structure);
  const places = { conflicted: [], recent: newest.map(({ path }) => path), mayExist: (path: string) => known?.has(path) ?? true };
  return { ...seenAreas(lookUnpacked(structure) ? [] : changes), unfinished: await unfinishedWithoutHistory(ask, places, known) };
}

async function withHistory(ask: Ask, repository: Repository, structure: Structure): Promise<Found> {
  const { status, statusEvidence, uncommitted, work, recent } = repository;
  const changes = [
    { id: UNCOMMITTED, time: undefined, paths: uncommitted.paths, evidence: statusEvidence },
    ...work.map(({ sha, time, files, evidence }) => ({ id: sha, time, paths: files, evidence })),
  ];
  const known = knownFiles(structure);
  const places = {
    conflicted: status.conflicted.map(({ path }) => path),
    recent: [...uncommitted.paths, ...work.flatMap(({ files }) => files).slice(0, RECENT_FILES)],
    mayExist: (path: string) => known?.has(path) ?? true,
  };
  const unfinished =
    recent === undefined
      ? NOTHING_UNFINISHED
      : await findUnfinished(ask, {
          recent,
          open: uncommitted.patches,
          untracked: status.untracked,
          places,
          known,
          listed: new Set(structure.paths),
        });
  return { ...seenAreas(changes), unfinished };
}

/** Returns the commits that count as work; all commits if none do. */
function workAmong(commits: readonly SeenCommit[]): readonly SeenCommit[] {
  const work = commits.filter((commit) => upkeepOf(commit) === undefined);
  return work.length > 0 ? work : commits;
}

async function withoutRepository(ask: Ask, structure: Structure, answer: NoAnswer, records: Promise<FailedRun | undefined>): Promise<History> {
  const noRepository = answer.code === 'not_a_repository' ? inAnswer(answer) : undefined;
  const isThere = structure.hasGitFolder && noRepository === undefined;
  const unreadable = isThere ? { reason: answer.reason, evidence: inAnswer(answer) } : undefined;
  const inner = noRepository === undefined || structure.isBare ? NO_REPOSITORIES : await findInnerRepositories(ask);
  return { repository: undefined, noRepository, unreadable, inner, failedRun: await records, ...(await withoutHistory(ask, structure)) };
}

/** Step 3: finds the recent work and what is unfinished. */
export async function analyzeGit(ask: Ask, structure: Structure, metadata: Metadata = NO_METADATA): Promise<History> {
  const asked = ask('git_status', {}, { essential: true });
  const branch = asked.then((answer) => (answer.ok ? (answer.data.branch ?? '') : ''));
  const records = readTestRecords(ask, structure);
  // The status of a large repository takes long. If there certainly is a repository, read its history meanwhile.
  const early = structure.hasGitFolder ? Promise.all([readCommits(ask), readReferences(ask, branch)] as const) : undefined;
  const answer = await asked;
  if (!answer.ok) {
    await early;
    return await withoutRepository(ask, structure, answer, records);
  }
  const status = answer.data;
  const [[recent, references], uncommitted, stashed, emptySubmodules, rebased] = await Promise.all([
    early ?? readCommits(ask).then((commits) => [commits, NO_REFERENCES] as const),
    readUncommitted(ask, status),
    // Files are not needed, because a stash is not mapped to a folder.
    (status.stashes ?? 0) > 0 ? ask('git_log', { limit: 1, revision: 'refs/stash', files: false }, { whole: true }) : undefined,
    structure.hasSubmodules ? findEmptySubmodules(ask) : [],
    status.operation === 'rebase' ? readRebasedBranch(ask) : undefined,
  ]);
  const stash = stashed?.ok === true ? seenCommits(stashed)[0] : undefined;
  const work = workAmong(recent?.commits ?? []);
  const quietPackages = await findQuietPackages(ask, metadata, { recent, open: uncommitted.paths });
  const repository = {
    status,
    statusEvidence: inAnswer(answer),
    recent,
    uncommitted,
    references,
    stash,
    rebased,
    work,
    emptySubmodules,
    quietPackages,
  };
  const found = await withHistory(ask, repository, structure);
  return { repository, noRepository: undefined, unreadable: undefined, inner: NO_REPOSITORIES, failedRun: await records, ...found };
}
