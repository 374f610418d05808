import { join } from 'node:path';
import * as z from 'zod';
import { loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { basesFolder } from './bases-folder.ts';
import type { BroughtCommits } from './bring-commits.ts';
import { HASH } from '../git/references.ts';
import { lineLog, type LineLog } from './line-log.ts';

/** Maximum number of tips of one repository: the newest count. */
const MAX_TIPS = 50;

const Line = z.object({ repository: StoredPath, tip: z.string().regex(HASH), head: z.string().regex(HASH).nullable() });

/** The newest of the commits that a branch brought to a repository, and where the workspace was then, without any of them; null for nowhere. */
export interface BroughtTip {
  readonly tip: string;
  readonly head: string | null;
}

const logIn = (state: string): LineLog<z.output<typeof Line>> => lineLog(join(basesFolder(state), 'brought'), Line);

/** Notes which commits of its HEAD a branch brought: these, and no others, it made. */
export function noteBrought(state: string, brought: readonly BroughtCommits[]): void {
  logIn(state).append(
    brought
      .filter(({ isOfHead }) => isOfHead)
      .map(({ repository, commit, head }) => ({ repository: storePath(repository), tip: commit, head: head ?? null })),
  );
}

/** Reads which commits a branch brought, by the {@link bytePath} of the repository. */
export function readBrought(state: string): ReadonlyMap<string, readonly BroughtTip[]> {
  const found = new Map<string, BroughtTip[]>();
  for (const { repository, tip, head } of logIn(state).read()) {
    const key = bytePath(loadPath(repository));
    const known = found.get(key) ?? [];
    // Brought again, fewer of its commits are new: the first time counts.
    if (!known.some((one) => one.tip === tip)) found.set(key, [...known, { tip, head }].slice(-MAX_TIPS));
  }
  return found;
}
