import type { ToolData } from '@synapse/hands';
import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import { goneFiles } from './commits.ts';
import type { SeenPatch } from './half-moves.ts';
import { patchedFiles } from './patch-lines.ts';

/** Uncommitted work. */
export interface Uncommitted {
  /** The listed paths; {@link files} counts all of them. */
  readonly paths: readonly string[];
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The calls that counted the lines; empty if no tracked file changed. */
  readonly evidence: readonly Evidence[];
  /** The changes line by line, if they were read. */
  readonly patches: readonly SeenPatch[];
}

/** Maximum number of changed files for which the patch is read. Above it only lines are counted. */
const READ_FILES = 300;

/** Returns the changed paths of a status, conflicts first. */
function uncommittedPaths(status: ToolData<'git_status'>): string[] {
  const changed = [...status.conflicted, ...status.unstaged, ...status.staged].map(({ path }) => path);
  return [...new Set([...changed, ...status.untracked])];
}

/** Reads the uncommitted changes and counts their lines. */
export async function readUncommitted(ask: Ask, status: ToolData<'git_status'>): Promise<Uncommitted> {
  const stat = status.unstaged.length + status.staged.length > READ_FILES;
  const answers = await Promise.all([
    ...(status.unstaged.length + status.conflicted.length > 0 ? [ask('git_diff', { staged: false, stat, context: 0 })] : []),
    ...(status.staged.length > 0 ? [ask('git_diff', { staged: true, stat, context: 0 })] : []),
  ]);
  const gone = goneFiles([...status.unstaged, ...status.staged]);
  const totals = answers.flatMap((answer) => (answer.ok ? answer.data.totals : []));
  const paths = uncommittedPaths(status);
  // A file that is staged and changed again is one file. Truncated lists cannot show this.
  const { staged, unstaged, untracked, conflicted } = status.counts;
  const listed = status.staged.length + status.unstaged.length + status.untracked.length + status.conflicted.length;
  const counted = staged + unstaged + untracked + conflicted;
  return {
    paths,
    files: counted === listed ? paths.length : counted,
    added: totals.reduce((sum, { added }) => sum + added, 0),
    removed: totals.reduce((sum, { removed }) => sum + removed, 0),
    evidence: answers.filter(({ ok }) => ok).map(inAnswer),
    patches: answers.flatMap((answer, index): SeenPatch[] =>
      answer.ok ? [{ files: patchedFiles(answer.data.patch), gone: index === 0 ? gone : [], committed: false, evidence: inAnswer(answer) }] : [],
    ),
  };
}
