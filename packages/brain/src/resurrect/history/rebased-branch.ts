import { atFile, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';

/** The branch that a rebase in progress began with. Meanwhile HEAD is detached, so nothing else names it. */
export interface RebasedBranch {
  readonly branch: string;
  readonly evidence: Evidence;
}

/** Where git notes the branch: with a list of steps, and with patches (`--apply`). */
const PLACES = ['.git/rebase-merge/head-name', '.git/rebase-apply/head-name'];
const BRANCH_PREFIX = 'refs/heads/';

/** Returns the branch of a rebase in progress; undefined if it began with a detached HEAD. */
export async function readRebasedBranch(ask: Ask): Promise<RebasedBranch | undefined> {
  const answers = await Promise.all(PLACES.map(async (path) => ({ path, answer: await ask('read_file', { path }) })));
  return answers.flatMap(({ path, answer }) => {
    const reference = answer.ok ? answer.data.content.trim() : '';
    return answer.ok && reference.startsWith(BRANCH_PREFIX)
      ? [{ branch: reference.slice(BRANCH_PREFIX.length), evidence: atFile(answer, path) }]
      : [];
  })[0];
}
