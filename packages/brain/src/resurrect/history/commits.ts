import type { ToolData } from '@synapse/hands';
import { atCommit, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../notebook.ts';

type Commit = ToolData<'git_log'>['commits'][number];

/** A commit that a call has shown. */
export interface SeenCommit extends Omit<Commit, 'files'> {
  readonly files: readonly string[];
  /** Milliseconds since 1970; `undefined` where the date cannot be read. */
  readonly time: number | undefined;
  readonly evidence: Evidence;
}

/** The recent commits, newest first. */
export interface RecentCommits {
  readonly commits: readonly SeenCommit[];
  /** Whether history goes on before the last one. */
  readonly more: boolean;
  /** Whether older history was never fetched. */
  readonly shallow: boolean;
  readonly evidence: Evidence;
}

/** Commits of one call: the most that git_log gives. */
export const PAGE = 50;

/** The commits of an answer, each with itself as evidence. */
export function seenCommits(answer: Answer<ToolData<'git_log'>>): SeenCommit[] {
  return answer.data.commits.map((commit) => {
    const time = Date.parse(commit.date);
    return {
      ...commit,
      files: (commit.files ?? []).map(({ path }) => path),
      time: Number.isNaN(time) ? undefined : time,
      evidence: atCommit(answer, commit.sha),
    };
  });
}

/** Reads the last 100 commits with their files, in two pages. */
export async function readCommits(ask: Ask): Promise<RecentCommits | undefined> {
  const first = await ask('git_log', { limit: PAGE, offset: 0, files: true }, { essential: true });
  if (!first.ok) return undefined;
  const second = first.data.has_more ? await ask('git_log', { limit: PAGE, offset: PAGE, files: true }) : undefined;
  return {
    commits: [...seenCommits(first), ...(second?.ok === true ? seenCommits(second) : [])],
    more: second?.ok === true ? second.data.has_more : first.data.has_more,
    shallow: first.data.is_shallow,
    evidence: inAnswer(first),
  };
}
