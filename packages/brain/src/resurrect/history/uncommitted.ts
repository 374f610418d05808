import type { ToolData } from '@synapse/hands';
import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';

/** Work that is in no commit yet. */
export interface Uncommitted {
  /** The first of them; {@link files} counts them all. */
  readonly paths: readonly string[];
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The calls that counted the lines; none where nothing tracked has changed. */
  readonly evidence: readonly Evidence[];
}

/** Every path of a status that is not as the last commit has it, conflicts first. */
function uncommittedPaths(status: ToolData<'git_status'>): string[] {
  const changed = [...status.conflicted, ...status.unstaged, ...status.staged].map(({ path }) => path);
  return [...new Set([...changed, ...status.untracked])];
}

/** Counts the lines of what is not committed. */
export async function readUncommitted(ask: Ask, status: ToolData<'git_status'>): Promise<Uncommitted> {
  const answers = await Promise.all([
    ...(status.unstaged.length + status.conflicted.length > 0 ? [ask('git_diff', { staged: false, stat: true })] : []),
    ...(status.staged.length > 0 ? [ask('git_diff', { staged: true, stat: true })] : []),
  ]);
  const totals = answers.flatMap((answer) => (answer.ok ? answer.data.totals : []));
  const paths = uncommittedPaths(status);
  // A file may be staged and changed again, and is one file; lists that were cut do not tell.
  const { staged, unstaged, untracked, conflicted } = status.counts;
  const listed = status.staged.length + status.unstaged.length + status.untracked.length + status.conflicted.length;
  const counted = staged + unstaged + untracked + conflicted;
  return {
    paths,
    files: counted === listed ? paths.length : counted,
    added: totals.reduce((sum, { added }) => sum + added, 0),
    removed: totals.reduce((sum, { removed }) => sum + removed, 0),
    evidence: answers.filter(({ ok }) => ok).map(inAnswer),
  };
}
