import { SynapseError } from '@synapse/protocol';
import { isWithin } from '../../workspace/workspace-path.ts';
import { LEVELS, type Level, type PlaceLevel } from '../place-levels.ts';

/** The rights of a rule: Landlock knows more of them, which always go together here. `list`: the names in folders. */
export type Right = 'list' | 'read' | 'write';

/** What is allowed for a path, and for all that is in it. */
export interface LandlockRule {
  readonly path: string;
  readonly rights: readonly Right[];
}

/** The names in a folder, without links: a rule for a link says nothing. Undefined if it is no folder, or closed to this user. */
export type NamesIn = (path: string) => readonly string[] | undefined;

/** The rules of one command, and where they are narrower than asked for. */
export interface LandlockRules {
  readonly rules: readonly LandlockRule[];
  /** Writable folders in which nothing can be made or deleted, because a place in them must stay as it is. */
  readonly fixed: readonly string[];
}

/** Maximum number of rules: each takes about 5 µs. Beyond it, the rules are too wide to enforce file by file. */
const MAX_RULES = 20_000;

const RIGHTS: Readonly<Record<Right, Level>> = { list: 'read', read: 'read', write: 'write' };
const atLeast = (level: Level, wanted: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);

/**
 * Makes rules of places. Landlock only adds rights on the way down: what is in an allowed folder cannot be taken out again. So where a
 * folder has a place with a lesser level in it, its other entries get the right instead of the folder. Names are listed all the same: Landlock
 * does not hide that a file exists.
 *
 * @throws SynapseError `too_large` if that takes too many rules
 */
export function landlockRules(places: readonly PlaceLevel[], namesIn: NamesIn): LandlockRules {
  const levels = new Map<string, Level>();
  for (const { path, level } of places) levels.set(path, level);
  const all = [...levels.keys()].toSorted();
  const rules = new Map<string, Set<Right>>();
  const fixed = new Set<string>();
  const allow = (path: string, right: Right): void => {
    const rights = rules.get(path) ?? new Set();
    rules.set(path, rights.add(right));
    if (rules.size > MAX_RULES) throw tooMany();
  };
  const cover = (path: string, right: Right): void => {
    const isLesser = (other: string): boolean => other !== path && isWithin(other, path) && !atLeast(levels.get(other) ?? 'none', RIGHTS[right]);
    if (right === 'list' || !within(all, path).some(isLesser)) return allow(path, right);
    if (right === 'write') fixed.add(path);
    for (const name of namesIn(path) ?? []) {
      const below = path === '/' ? `/${name}` : `${path}/${name}`;
      // It has a level of its own.
      if (!levels.has(below)) cover(below, right);
    }
  };
  for (const [path, level] of levels) for (const right of ['list', 'read', 'write'] as const) if (atLeast(level, RIGHTS[right])) cover(path, right);
  return {
    rules: Array.from(rules, ([path, rights]) => ({ path, rights: [...rights] })).toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    fixed: [...fixed].toSorted(),
  };
}

/** The paths that begin with another one, of sorted ones. */
function within(sorted: readonly string[], path: string): readonly string[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < path) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < sorted.length && (sorted[end] ?? '').startsWith(path)) end += 1;
  return sorted.slice(low, end);
}

function tooMany(): SynapseError {
  return new SynapseError('too_large', `More than ${MAX_RULES} places would have to be allowed to commands one by one.`, {
    hint: 'Make the rules name folders instead of files, or install bubblewrap.',
  });
}
