import { displayPath } from '../workspace/byte-name.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { openIfThere, type RepositorySides } from './repository-sides.ts';

/** Maximum number of tips. What else a branch has in its repository stays there. */
const MAX_TIPS = 20;
/** Maximum number of references that are looked at. */
const MAX_LOOKED_AT = 200;
const HEADS = 'refs/heads/';
const STASH = 'refs/stash';
/** Characters of the name of a branch of git that are kept. */
const MAX_NAME = 60;

/** The newest commit of a branch of git, or of the stash, that HEAD does not lead to. */
export interface OtherTip {
  readonly commit: string;
  /** What follows the name of the branch where the commit is brought, such as `-feature`. */
  readonly end: string;
}

/** Commits that a branch has besides those of its HEAD, and the workspace has not. */
export async function otherTips(sides: RepositorySides, repository: WorkspacePath, signal: AbortSignal): Promise<OtherTip[]> {
  const { ours, theirs, tip, head, store } = sides;
  const tips: OtherTip[] = [];
  for (const name of (await writtenNames(sides, repository, signal)).slice(0, MAX_LOOKED_AT)) {
    const [commit, there] = [ours.get(name), theirs.get(name)];
    if (commit === undefined || commit === there) continue;
    let isKnown = false;
    for (const known of [tip, head, there]) isKnown ||= known !== undefined && (await store.isAncestor(commit, known));
    if (!isKnown) tips.push({ commit, end: endFor(name) });
    if (tips.length === MAX_TIPS) break;
  }
  return tips;
}

/** The branches of git that a branch wrote, and the stash. */
async function writtenNames({ upper, ours, theirs }: RepositorySides, repository: WorkspacePath, signal: AbortSignal): Promise<string[]> {
  const packed = theirs.packed();
  const names = new Set([...ours.packed()].flatMap(([name, commit]) => (packed.get(name) === commit ? [] : [name])));
  using heads = openIfThere(upper, [...repository, 'refs', 'heads']);
  if (heads !== undefined) {
    using cursor = new TreeCursor(heads.self, { owned: true });
    await visitTree(
      cursor,
      (name, stat) => {
        const location = [...cursor.location, name];
        if (stat.isFile() && location.every((part) => typeof part === 'string')) names.add(`${HEADS}${displayPath(location)}`);
      },
      signal,
      () => names.size >= MAX_LOOKED_AT,
    );
  }
  return [...[...names].filter((name) => name.startsWith(HEADS)), STASH];
}

const endFor = (name: string): string => `-${(name === STASH ? 'stash' : name.slice(HEADS.length)).replaceAll(/[^\w-]+/gu, '-').slice(0, MAX_NAME)}`;
