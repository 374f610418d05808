import type { ToolData } from '@synapse/hands';
import { atCommit, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Answer, Ask } from '../call-log.ts';

/** A file that a change deleted or renamed. */
export interface GoneFile {
  readonly path: string;
  /** The new path, if it was renamed. */
  readonly to: string | undefined;
}

/** Returns the files that changes deleted or renamed. */
export function goneFiles(changes: readonly { readonly path: string; readonly from?: string | undefined; readonly status: string }[]): GoneFile[] {
  return changes.flatMap(({ path, from, status }): GoneFile[] => {
    if (status === 'deleted') return [{ path, to: undefined }];
    return status === 'renamed' && from !== undefined ? [{ path: from, to: path }] : [];
  });
}

type Commit = ToolData<'git_log'>['commits'][number];

/** A commit that a call returned. */
export interface SeenCommit extends Omit<Commit, 'files'> {
  readonly files: readonly string[];
  /** Files that the commit deleted or renamed. */
  readonly gone: readonly GoneFile[];
  /** The date in the commit's own time zone, such as `2026-11-20`. */
  readonly day: string | undefined;
  /** Milliseconds since 1970; undefined if the date cannot be parsed. */
  readonly time: number | undefined;
  readonly evidence: Evidence;
}

/** The recent commits, newest first. */
export interface RecentCommits {
  readonly commits: readonly SeenCommit[];
  /** Whether there are older commits. */
  readonly more: boolean;
  /** Whether older history was never fetched. */
  readonly shallow: boolean;
  readonly evidence: Evidence;
}

/** Commits per call: the maximum of git_log. */
export const PAGE = 50;

/** Converts the commits of an answer; each is its own evidence. */
export function seenCommits(answer: Answer<ToolData<'git_log'>>): SeenCommit[] {
  return answer.data.commits.map((commit) => {
    const time = Date.parse(commit.date);
    return {
      ...commit,
      files: commit.files.map(({ path }) => path),
      gone: goneFiles(commit.files),
      day: /^\d{4}-\d{2}-\d{2}/u.exec(commit.date)?.[0],
      time: Number.isNaN(time) ? undefined : time,
      evidence: atCommit(answer, commit.sha),
    };
  });
}

/** Reads the last 100 commits with their files, in two pages. */
export async function readCommits(ask: Ask): Promise<RecentCommits | undefined> {
  const [first, second] = await Promise.all([
    ask('git_log', { limit: PAGE, offset: 0, files: true }, { essential: true }),
    ask('git_log', { limit: PAGE, offset: PAGE, files: true }),
  ]);
  if (!first.ok) return undefined;
  return {
    commits: [...seenCommits(first), ...(second.ok ? seenCommits(second) : [])],
    more: second.ok ? second.data.has_more : first.data.has_more,
    shallow: first.data.is_shallow,
    evidence: inAnswer(first),
  };
}
