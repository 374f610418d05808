import { atLine, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import type { SeenPatch } from './half-moves.ts';

/** A submodule whose files were not fetched. */
export interface EmptySubmodule {
  readonly path: string;
  readonly evidence: Evidence;
}

/** A submodule that differs from the last commit. */
export interface ChangedSubmodule {
  readonly path: string;
  /** Whether it is at another commit; otherwise only its files changed. */
  readonly moved: boolean;
  readonly evidence: Evidence;
}

const SUBPROJECT = /^Subproject commit (?<commit>[0-9a-f]{40,64})/u;
const commitIn = (lines: readonly string[]): string | undefined => SUBPROJECT.exec(lines[0] ?? '')?.groups?.['commit'];

/** Returns the changed submodules in patches. Git shows their commits instead of lines. */
export function changedSubmodules(patches: readonly SeenPatch[]): ChangedSubmodule[] {
  return patches.flatMap(({ files, evidence }) =>
    files.flatMap(({ path, added, removed }): ChangedSubmodule[] => {
      const [from, to] = [commitIn(removed), commitIn(added)];
      return from === undefined || to === undefined ? [] : [{ path, moved: from !== to, evidence }];
    }),
  );
}

/** Maximum number of submodules to inspect. */
const MAXIMUM = 6;

/** Finds submodules with empty folders. A build that needs them fails. */
export async function findEmptySubmodules(ask: Ask): Promise<EmptySubmodule[]> {
  const answer = await ask('read_file', { path: '.gitmodules' });
  if (!answer.ok) return [];
  const named = answer.data.content.split('\n').flatMap((line, index) => {
    const path = /^\s*path\s*=\s*(\S.*?)\s*$/u.exec(line)?.[1];
    return path === undefined ? [] : [{ path, evidence: atLine(answer, '.gitmodules', index + 1) }];
  });
  const looked = await Promise.all(
    named.slice(0, MAXIMUM).map(async (submodule) => {
      const listed = await ask('list_directory', { path: submodule.path, depth: 1, hidden: true });
      return listed.ok && listed.data.entries.length === 0 ? [submodule] : [];
    }),
  );
  return looked.flat();
}
