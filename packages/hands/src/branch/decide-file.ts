/** An entry as one side has it. Contents are the same if their keys are. */
export type Version =
  | { readonly type: 'file'; readonly mode: number; readonly content: string }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'folder'; readonly mode: number }
  | { readonly type: 'other' };

/** The three versions of an entry; null where it does not exist. */
export interface Sides {
  /** When the branch first changed it; undefined if that is not known. */
  readonly base: Version | null | undefined;
  readonly branch: Version | null;
  readonly workspace: Version | null;
}

/**
 * What becomes of an entry in the workspace. `workspace`: it stays, because the branch changed nothing, or has the same. `mix`: a file with
 * the content and the permissions of different sides, or with the lines of both.
 */
export type Decision =
  | { readonly take: 'branch' | 'workspace' | 'conflict' }
  | { readonly take: 'mix'; readonly content: 'branch' | 'workspace' | 'lines'; readonly mode: number };

function isSame(one: Version | null, other: Version | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.type === 'file') return other.type === 'file' && one.content === other.content && one.mode === other.mode;
  if (one.type === 'link') return other.type === 'link' && one.target === other.target;
  if (one.type === 'folder') return other.type === 'folder' && one.mode === other.mode;
  // What a pipe or a device has in it is not compared.
  return false;
}

/** The side that counts for one property of an entry; `both` if both changed it. */
function pick<T>(base: T, branch: T, workspace: T): 'branch' | 'workspace' | 'both' {
  if (branch === workspace || branch === base) return 'workspace';
  return workspace === base ? 'branch' : 'both';
}

/** Decides what becomes of an entry that a branch changed. */
export function decideFile({ base, branch, workspace }: Sides): Decision {
  if (isSame(branch, workspace)) return { take: 'workspace' };
  if (base === undefined) return { take: 'conflict' };
  if (isSame(workspace, base)) return { take: 'branch' };
  if (isSame(branch, base)) return { take: 'workspace' };
  if (base?.type !== 'file' || branch?.type !== 'file' || workspace?.type !== 'file') return { take: 'conflict' };
  const mode = pick(base.mode, branch.mode, workspace.mode);
  const content = pick(base.content, branch.content, workspace.content);
  if (mode === 'both') return { take: 'conflict' };
  return { take: 'mix', content: content === 'both' ? 'lines' : content, mode: mode === 'branch' ? branch.mode : workspace.mode };
}
