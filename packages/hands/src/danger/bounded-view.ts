import type { EntryType, TreeView } from './tree-view.ts';

/**
 * Steps in which it must be found out what a folder leads other programs to. A look at the disk counts as five, and takes some
 * 5 µs: all of them together take less than 0.1 s. 2,000 links need 34,000.
 */
const MAX_STEPS = 60_000;
const STEPS_PER_LOOK = 5;
/** Characters of a text that are parsed in about the time of a step. */
const CHARACTERS_PER_STEP = 200;

/** A view that answers for a limited number of steps, and then knows nothing more. */
export interface BoundedView extends TreeView {
  /** Whether the steps were not enough, so that what was found is not all. */
  readonly isSpent: () => boolean;
  /** The number of steps so far. */
  readonly steps: () => number;
}

/** Limits the work with a view. Types are looked up once: the view must not change in the meantime. */
export function boundedView(view: TreeView, maxSteps = MAX_STEPS): BoundedView {
  const types = new Map<string, EntryType | undefined>();
  let steps = 0;
  /** Runs a look if there are steps left for it. */
  const look = <T>(work: () => T): T | undefined => {
    steps += STEPS_PER_LOOK;
    return steps > maxSteps ? undefined : work();
  };
  return {
    isSpent: () => steps > maxSteps,
    steps: () => steps,
    type(path) {
      steps += 1;
      if (types.has(path)) return types.get(path);
      const found = look(() => view.type(path));
      types.set(path, found);
      return found;
    },
    readText(path, maxBytes) {
      const text = look(() => view.readText(path, maxBytes));
      steps += Math.floor((text?.length ?? 0) / CHARACTERS_PER_STEP);
      return text;
    },
    linkText: (path) => look(() => view.linkText(path)),
    names(path) {
      const names = look(() => view.names(path));
      steps += names?.length ?? 0;
      return steps > maxSteps ? undefined : names;
    },
  };
}
