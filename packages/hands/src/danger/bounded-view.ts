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
  /** The number of looks at the view below so far. */
  readonly looks: () => number;
}

/** Looks at the disk that an ordinary folder with a repository and settings of editors takes; they count for no sum of several folders. */
const USUAL_LOOKS = 50;

/** The looks that are left for many folders together: each is bounded, and a clone can bring any number of them. */
export class SharedLooks {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** Creates a view of a folder within what is left. */
  view(view: TreeView): BoundedView {
    return boundedView(view, MAX_STEPS, Math.max(this.#left, 0) + USUAL_LOOKS);
  }

  /** Takes off what such a view took beyond the usual. */
  spend(looks: number): void {
    this.#left -= Math.max(0, looks - USUAL_LOOKS);
  }

  /** Gives back what a folder took that is looked at again. */
  giveBack(looks: number): void {
    this.#left += Math.max(0, looks - USUAL_LOOKS);
  }
}

/** Limits the work with a view. Types are looked up once: the view must not change in the meantime. */
export function boundedView(view: TreeView, maxSteps = MAX_STEPS, maxLooks = Infinity): BoundedView {
  const types = new Map<string, EntryType | undefined>();
  let steps = 0;
  let looks = 0;
  const isSpent = (): boolean => steps > maxSteps || looks > maxLooks;
  /** Runs a look if there are steps left for it. */
  const look = <T>(work: () => T): T | undefined => {
    steps += STEPS_PER_LOOK;
    looks += 1;
    return isSpent() ? undefined : work();
  };
  return {
    isSpent,
    looks: () => looks,
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
      return isSpent() ? undefined : names;
    },
  };
}
