import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import type { Survey } from './workspace-index.ts';

/** What another program would do with a place: this says how it is judged. */
export type WatchedKind = 'git-config' | 'git-hook' | 'git-hook-folder' | 'git-common-folder' | 'git-steps' | 'git-pointer' | 'protected' | 'locked';

/** A place that another program executes or takes orders from, as it is now. */
export interface WatchedPlace {
  /** Relative to the root; one character stands for one byte (latin1). */
  readonly path: string;
  readonly kind: WatchedKind;
  /** Differs after any change: no program can set a ctime. */
  readonly stamp: string;
}

const GIT_FILES: Readonly<Record<string, WatchedKind>> = {
  config: 'git-config',
  'config.worktree': 'git-config',
  commondir: 'git-common-folder',
  'rebase-merge/git-rebase-todo': 'git-steps',
};

const pathOf = (root: PinnedDirectory, path: string): Buffer => Buffer.from(`${root.self}/${path}`, 'latin1');

/** The places to watch, anywhere in the workspace. */
export function watchedPlaces(root: PinnedDirectory, { findings }: Survey): WatchedPlace[] {
  const places: WatchedPlace[] = [];
  const add = (path: string, kind: WatchedKind): void => {
    const stat = lstatSync(pathOf(root, path), { throwIfNoEntry: false });
    if (stat !== undefined) places.push({ path, kind, stamp: `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` });
  };
  for (const { path, kind, behindLink } of findings) {
    // That is somebody's folder under another name: a link that a command made would have it taken away.
    if (behindLink !== undefined) continue;
    // Some are both: `.npmrc` holds keys and names programs.
    if (kind === 'denied' && protectedPlace([path.slice(path.lastIndexOf('/') + 1)]) !== undefined) add(path, 'protected');
    if (kind === 'protected' || kind === 'git-pointer' || (kind === 'locked' && path !== '')) add(path, kind);
    if (kind !== 'git-folder') continue;
    for (const [name, gitKind] of Object.entries(GIT_FILES)) add(`${path}/${name}`, gitKind);
    const hooks = hooksIn(root, `${path}/hooks`);
    if (hooks === undefined) add(`${path}/hooks`, 'git-hook-folder');
    else for (const hook of hooks) add(hook, 'git-hook');
  }
  return places;
}

/** The hooks that git would run; undefined where the folder is none, or leads elsewhere. */
function hooksIn(root: PinnedDirectory, path: string): string[] | undefined {
  const stat = lstatSync(pathOf(root, path), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return undefined;
  try {
    const names = readdirSync(pathOf(root, path), { encoding: 'latin1' });
    return names.filter((name) => !name.endsWith('.sample')).map((name) => `${path}/${name}`);
  } catch {
    // What cannot be read, or went away meanwhile, cannot be found harmless: the folder itself is judged.
    return undefined;
  }
}

/** The text of a small regular file in the workspace; undefined for anything else. */
export function smallText(root: PinnedDirectory, path: string, maxBytes: number): string | undefined {
  const at = pathOf(root, path);
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > maxBytes) return undefined;
  try {
    return readFileSync(at, 'utf8');
  } catch {
    // What cannot be read cannot be found harmless.
    return undefined;
  }
}
