import type { OmittedChange } from '../dry-run/effect.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { loadPath, sameImage, type Image, type SetStep } from '../workspace/changes/step.ts';

/** What a branch makes of the workspace. */
export interface BranchSide {
  readonly steps: readonly SetStep[];
  /** Entries whose changes are not among the steps, with the reason. What is below them is not there either. */
  readonly unlisted: readonly OmittedChange[];
  /** What it did to repositories, one line each. */
  readonly repositories: readonly string[];
}

/** What a layer has in place of an entry of the layers below: nothing, the entry of the workspace, or no entry at all. */
export type LayerEntry = 'nothing' | 'as in the workspace' | 'deleted';

const keyOf = (step: SetStep): string => displayPath(loadPath(step.path));

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Folders with other permissions differ, although their images count as equal. */
function differ(one: Image | null, other: Image | null): boolean {
  if (one?.type === 'folder' && other?.type === 'folder') return one.mode !== other.mode;
  return !sameImage(one, other);
}

/**
 * A branch on top of the one that it is based on.
 *
 * @param seen what the layer of the branch has in place of an entry that it does not list
 */
export function onTop(base: BranchSide, own: BranchSide, seen: (step: SetStep) => LayerEntry): BranchSide {
  const steps = new Map(base.steps.map((step) => [keyOf(step), step]));
  for (const [key, step] of steps) {
    const entry = seen(step);
    if (entry === 'as in the workspace') steps.delete(key);
    else if (entry === 'deleted') steps.set(key, { ...step, after: null });
  }
  for (const step of own.steps) steps.set(keyOf(step), step);
  return {
    steps: [...steps.values()],
    unlisted: [...base.unlisted, ...own.unlisted],
    repositories: [...base.repositories, ...own.repositories],
  };
}

/** The changes that make one branch of the other, both as changes of the same workspace. */
export function between(from: BranchSide, to: BranchSide): Pick<BranchSide, 'steps' | 'unlisted'> {
  const old = new Map(from.steps.map((step) => [keyOf(step), step]));
  const now = new Map(to.steps.map((step) => [keyOf(step), step]));
  const unlisted = [...new Map([...from.unlisted, ...to.unlisted].map((one) => [one.path, one])).values()];
  const steps: SetStep[] = [];
  for (const [key, some] of new Map([...old, ...now])) {
    if (unlisted.some(({ path }) => isIn(key, path))) continue;
    // What a branch does not change is in it as in the workspace.
    const before = (old.get(key) ?? { after: some.before }).after;
    const after = (now.get(key) ?? { after: some.before }).after;
    if (differ(before, after)) steps.push({ kind: 'set', path: some.path, before, after });
  }
  return { steps, unlisted };
}
