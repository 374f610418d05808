import { inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import { gitDiffStat, type GitStatusAnswer } from '../tool-answers.ts';

/** Work that is in no commit yet. */
export interface Uncommitted {
  readonly paths: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** The calls that counted the lines; none where nothing tracked has changed. */
  readonly evidence: readonly Evidence[];
}

/** Every path of a status that is not as the last commit has it, conflicts first. */
export function uncommittedPaths(status: GitStatusAnswer): string[] {
  const changed = [...status.conflicted, ...status.unstaged, ...status.staged, ...status.untracked];
  return [...new Set(changed.map(({ path }) => path))];
}

/** Counts the lines of what is not committed. */
export async function readUncommitted(ask: Ask, status: GitStatusAnswer): Promise<Uncommitted> {
  const answers = await Promise.all([
    ...(status.unstaged.length + status.conflicted.length > 0 ? [ask(gitDiffStat({ staged: false }))] : []),
    ...(status.staged.length > 0 ? [ask(gitDiffStat({ staged: true }))] : []),
  ]);
  const files = answers.flatMap((answer) => (answer.ok ? answer.data.files : []));
  return {
    paths: uncommittedPaths(status),
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    evidence: answers.filter(({ ok }) => ok).map(inAnswer),
  };
}
