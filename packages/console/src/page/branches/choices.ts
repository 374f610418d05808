import type { ConsoleChange } from '@synapse/protocol/console';

/** Changes that are applied together. */
export interface Choice {
  /** What is named to apply it: a file, or a folder that is new or deleted as a whole. */
  readonly path: string;
  readonly changes: readonly ConsoleChange[];
}

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
  return Array.from(groups, ([path, members]) => ({ path, changes: members }));
}

/** The paths to apply: undefined for all, so that commits and what is not listed come along. */
export function pathsOf(choices: readonly Choice[], left: ReadonlySet<string>): readonly string[] | undefined {
  const chosen = choices.map(({ path }) => path).filter((path) => !left.has(path));
  return chosen.length === choices.length ? undefined : chosen;
}
