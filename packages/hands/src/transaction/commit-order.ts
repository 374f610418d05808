/** What is read of a commit. */
export interface MadeCommit {
  readonly parents: readonly string[];
  readonly subject: string;
}

/** Number of commits that may still be looked up to compare references, in all repositories of a question. */
export interface LookupBudget {
  left: number;
}

type ReadCommit = (hash: string) => MadeCommit | undefined;

/** Where commits can be read. */
export interface CommitSources {
  /** Those that the command made. */
  readonly made: ReadCommit;
  /** Also those that were there, unless they are packed. */
  readonly known: ReadCommit;
}

/** Maximum number of commits to remember in one walk: a commit can name thousands of parents. */
const MAX_SEEN = 10_000;

const HASH = /^[\da-f]{40,64}$/u;

/** Visits commits and their ancestors, nearest first, until `visit` returns true. */
function walk(
  starts: Iterable<string>,
  read: ReadCommit,
  budget: LookupBudget,
  visit: (hash: string, commit: MadeCommit | undefined) => boolean,
): 'stopped' | 'ended' | 'bounded' {
  const seen = new Set(starts);
  // A set also visits what is added on the way.
  for (const hash of seen) {
    if (budget.left <= 0 || seen.size > MAX_SEEN) return 'bounded';
    budget.left -= 1;
    // It becomes part of a path.
    const commit = HASH.test(hash) ? read(hash) : undefined;
    if (visit(hash, commit)) return 'stopped';
    for (const parent of commit?.parents ?? []) seen.add(parent);
  }
  return 'ended';
}

/**
 * Whether a commit has another one among its ancestors; undefined if the commits that would tell are packed or too many. `false` is only
 * returned when it is certain: an ordinary commit must not be called a rewrite.
 */
export function follows(before: string, after: string, { made, known }: CommitSources, budget: LookupBudget): boolean | undefined {
  if (!HASH.test(before) || !HASH.test(after)) return undefined;
  const older = new Set<string>();
  const isBefore = (hash: string): boolean => hash === before;
  const fresh = walk([after], made, budget, (hash, commit) => {
    if (commit === undefined) older.add(hash);
    return isBefore(hash);
  });
  if (fresh === 'stopped') return true;
  if (fresh === 'bounded') return undefined;
  // No commit contains itself, so the ancestors of the earlier one do not follow it.
  walk([before], known, budget, (hash) => (older.delete(hash), older.size === 0));
  if (older.size === 0) return false;
  let isWhole = true;
  const rest = walk(older, known, budget, (hash, commit) => {
    isWhole &&= commit !== undefined;
    return isBefore(hash);
  });
  return rest === 'stopped' ? true : rest === 'ended' && isWhole ? false : undefined;
}
