import type { ConsoleChange, ConsoleParams } from '@synapse/protocol/console';

/** Changes that are applied together. */
export interface Choice {
  /** What is named to apply it: a file, or a folder that is new or deleted as a whole. */
  readonly path: string;
  readonly changes: readonly ConsoleChange[];
  /** The parts of its diff, each of which can be applied without the others; empty if there is nothing to choose. */
  readonly hunks: readonly string[];
}

/** What is left out: paths, and hunks by {@link hunkKey}. Not what is chosen, so that a new change is not left out by accident. */
export type LeftOut = ReadonlySet<string>;

/** The part of a branch that is applied, as a request names it. */
export type Part = Pick<ConsoleParams<'branches.apply'>, 'paths' | 'hunks'>;

/** Groups changes by what can be applied alone: what is in a new or deleted folder comes with the folder. */
export function choicesOf(changes: readonly ConsoleChange[]): Choice[] {
  const paths = new Set(changes.map(({ path }) => path));
  const folders = changes.filter(({ kind, path }) => kind !== 'changed' && [...paths].some((other) => other.startsWith(`${path}/`)));
  // The outermost folder first.
  const outer = folders.map(({ path }) => path).toSorted((one, other) => one.length - other.length);
  const groups = new Map<string, ConsoleChange[]>();
  for (const change of changes) {
    const key = outer.find((folder) => change.path.startsWith(`${folder}/`)) ?? change.path;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return Array.from(groups, ([path, members]) => {
    const [first] = members;
    const hunks = members.length === 1 && first?.kind === 'changed' ? hunksOf(first.diff ?? '') : [];
    return { path, changes: members, hunks: hunks.length > 1 ? hunks : [] };
  });
}

/** The parts of a diff. What is cut off is none. */
function hunksOf(diff: string): string[] {
  const parts = diff.split(/(?<=\n)(?=@@ )/u).filter((part) => part.startsWith('@@ '));
  // Each line of a diff begins with a sign of its own, but not the one that says what was cut off.
  return parts.filter((part) => !part.includes('\n…'));
}

/** The name of a hunk among what is left out. A path has no line break. */
export const hunkKey = (path: string, hunk: string): string => `${path}\n${hunk}`;

const takenOf = ({ path, hunks }: Choice, left: LeftOut): string[] => hunks.filter((hunk) => !left.has(hunkKey(path, hunk)));

/** How much of a choice is applied. */
export function amountOf(choice: Choice, left: LeftOut): 'all' | 'some' | 'none' {
  if (left.has(choice.path)) return 'none';
  const taken = takenOf(choice, left);
  if (taken.length === choice.hunks.length) return 'all';
  return taken.length === 0 ? 'none' : 'some';
}

/** Chooses a file or folder as a whole, or leaves it out. */
export function withPath(left: LeftOut, { path, hunks }: Choice, yes: boolean): LeftOut {
  const other = new Set(left);
  for (const hunk of hunks) other.delete(hunkKey(path, hunk));
  if (yes) other.delete(path);
  else other.add(path);
  return other;
}

/** Chooses a hunk, or leaves it out. */
export function withHunk(left: LeftOut, { path, hunks }: Choice, hunk: string, yes: boolean): LeftOut {
  const other = new Set(left);
  // Of a file that is left out, the other hunks are.
  if (other.delete(path)) for (const one of hunks) other.add(hunkKey(path, one));
  if (yes) other.delete(hunkKey(path, hunk));
  else other.add(hunkKey(path, hunk));
  return other;
}

/** What to apply: no paths for all, so that commits and what is not listed come along. */
export function partOf(choices: readonly Choice[], left: LeftOut): Part {
  const chosen = choices.filter((choice) => amountOf(choice, left) !== 'none');
  const partly = chosen.filter((choice) => amountOf(choice, left) === 'some');
  const hunks = partly.map((choice) => {
    const seen = takenOf(choice, left);
    return { path: choice.path, take: seen.map((hunk) => choice.hunks.indexOf(hunk) + 1), seen };
  });
  return {
    ...(chosen.length === choices.length ? {} : { paths: chosen.map(({ path }) => path) }),
    ...(hunks.length === 0 ? {} : { hunks }),
  };
}
