import type { PlaceBefore } from '../quarantine/unfinished.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { protectedPlace } from '../workspace/protected-paths.ts';
import { dangerousSettings } from './git-config-danger.ts';
import { smallText, type WatchedKind, type WatchedPlace } from './watched-places.ts';

/** A configuration of more bytes is taken for dangerous and not read. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Why something that a command left is dangerous; `not-searched` where not everything could be looked at. */
export type LeftoverReason = 'git-hook' | 'git-config' | 'git-pointer' | 'protected' | 'denied' | 'not-searched';

/** Something that a command made or changed, and that another program would execute or take orders from. */
export interface Leftover {
  /** Relative to the root; one character stands for one byte (latin1). */
  readonly path: string;
  readonly reason: LeftoverReason;
  /** What was found in it, such as the names of settings. */
  readonly detail: string;
  /** Whether it must go: where not, it is only told. */
  readonly remove: boolean;
}

type Judgement = Omit<Leftover, 'path' | 'remove'> & { readonly remove?: boolean };
type Judge = (root: PinnedDirectory, path: string, isNew: boolean) => Judgement | undefined;

const JUDGES: Readonly<Record<WatchedKind, Judge>> = {
  'git-config': (root, path) => {
    const text = smallText(root, path, MAX_TEXT_BYTES);
    const found = text === undefined ? ['unreadable'] : dangerousSettings(text);
    return found.length === 0 ? undefined : { reason: 'git-config', detail: found.join(', ') };
  },
  'git-hook': () => ({ reason: 'git-hook', detail: 'git runs it' }),
  'git-hook-folder': () => ({ reason: 'git-hook', detail: 'stands in for the folder of hooks' }),
  // What is left of a rebase goes on with `git rebase --continue`, and that runs each such line. One that a person began stays.
  'git-steps': (root, path, isNew) =>
    /^\s*(?:x|exec)\b/mu.test(smallText(root, path, MAX_TEXT_BYTES) ?? 'exec')
      ? { reason: 'git-hook', detail: 'git rebase --continue runs it', remove: isNew }
      : undefined,
  'git-common-folder': (root, path) =>
    smallText(root, path, MAX_TEXT_BYTES)?.trim() === '../..'
      ? undefined
      : { reason: 'git-pointer', detail: 'takes settings and hooks from another folder' },
  'git-pointer': (root, path) =>
    isUsualPointer(path, smallText(root, path, MAX_TEXT_BYTES)) ? undefined : { reason: 'git-pointer', detail: 'leads git to another folder' },
  // At the top of the workspace their readers start from it. Further down they come with projects that are made or cloned.
  protected: (_, path, isNew) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { reason: 'protected', detail: protectedPlace([name])?.reason ?? 'is read by another program', remove: isNew && name === path };
  },
  // What was there before could not be changed: whoever did so was no command.
  locked: (_, __, isNew) => (isNew ? { reason: 'denied', detail: 'a rule denies writing it' } : undefined),
};

/**
 * What a command left that would be executed later: hooks, settings and pointers of any repository, in new ones too
 * (`git init sub` is harmless by itself, a hook in it is not), orders to agents, and what a rule denies writing.
 *
 * @param onlyDenied leave out all but the last: a person permitted commands to change what is executed
 */
export function leftovers(root: PinnedDirectory, before: readonly PlaceBefore[], after: readonly WatchedPlace[], onlyDenied = false): Leftover[] {
  const key = ({ path, kind }: PlaceBefore): string => `${kind === 'locked' ? 'locked' : ''}/${path}`;
  const known = new Map(before.map((place) => [key(place), place.stamp]));
  // The deepest last: what lies in a folder that is taken away is gone with it.
  return after.flatMap((place) => {
    const { path, kind, stamp } = place;
    if (onlyDenied && kind !== 'locked') return [];
    const old = known.get(key(place));
    const judgement = old === stamp ? undefined : JUDGES[kind](root, path, old === undefined);
    return judgement === undefined ? [] : [{ remove: true, ...judgement, path }];
  });
}

/** What `git submodule` writes: a relative path into the modules of the repository above, which are judged like any other. */
function isUsualPointer(path: string, text: string | undefined): boolean {
  const target = /^gitdir: (?<path>.+)$/u.exec(text?.trim() ?? '')?.groups?.['path'];
  if (target === undefined) return false;
  const up = /^(?:\.\.\/)*/u.exec(target)?.[0].length ?? 0;
  const depth = path.split('/').length - 1;
  return up / 3 <= depth && /^\.git\/modules\/(?!.*(?:^|\/)\.\.(?:\/|$))/u.test(target.slice(up));
}
