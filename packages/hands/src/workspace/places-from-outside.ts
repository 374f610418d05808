import { homedir } from 'node:os';
import { boundedView, join, parentOf, type TreeView } from '../danger/tree-view.ts';
import { configurationsOf } from '../danger/executable-git-config.ts';
import { throughLinks, type NamedPlace } from '../danger/link-route.ts';
import { namedPlaces } from '../danger/named-places.ts';
import { CheckedConfinement } from './checked-confinement.ts';
import { ConfinedView } from './confined-view.ts';
import type { Confinement } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import { HandleConfinement } from './handle-confinement.ts';

const latin1 = (path: string): string => Buffer.from(path).toString('latin1').replace(/^\/+/u, '');

/** The home folder as git writes it in a value. */
const HOME = /(?<=[\s="'!:])~(?=\/)/gu;

/** Returns the nearest folder, at or above a path, that is the top of a repository; the path itself if there is none. */
function topOf(view: TreeView, path: string): string {
  for (let at = path; at !== ''; at = parentOf(at)) if (view.type(join(at, '.git')) !== undefined) return at;
  return path;
}

/** What configurations outside of a workspace name in it. */
export interface PlacesFromOutside {
  readonly places: readonly NamedPlace[];
  /** Whether they name more than could be looked at. */
  readonly isSpent: boolean;
}

/** What is closed to this user, git cannot read either: such as the home folder of another one, in the environment of a service. */
function unlessClosed<Value>(look: (path: string) => Value, path: string): Value | undefined {
  try {
    return look(path);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    return undefined;
  }
}

/**
 * Returns the places in a workspace that a configuration outside of it names: that of the repository around it, of the one
 * whose linked worktree it is, and the user's own. Also those that its own configuration names from outside, such as by
 * another name of the workspace.
 *
 * @param home the user's home folder
 * @param environment the variables that say where git finds the user's settings
 */
export function placesFromOutside(
  { root, tier }: Pick<Confinement, 'root' | 'tier'>,
  home = homedir(),
  environment: NodeJS.ProcessEnv = process.env,
): PlacesFromOutside {
  if (!root.startsWith('/') || root === '/') return { places: [], isSpent: false };
  using machine = tier === 'handle' ? new HandleConfinement('/') : new CheckedConfinement('/');
  using top = machine.openDirectory([]);
  using disk = new ConfinedView(top);
  // The workspace's own configuration is read once more here, and may name anything any number of times.
  const view = boundedView({
    type: (path) => unlessClosed(disk.type, path),
    readBytes: disk.readBytes,
    linkText: disk.linkText,
    names: disk.names,
    readText: (path, maxBytes) => disk.readText(path, maxBytes)?.replaceAll(HOME, () => home),
  });
  const workspace = latin1(root);
  const workTree = topOf(view, workspace);
  const { XDG_CONFIG_HOME: configuration = '', GIT_CONFIG_GLOBAL: global, GIT_CONFIG_SYSTEM: system } = environment;
  const files = [`${home}/.gitconfig`, `${configuration === '' ? `${home}/.config` : configuration}/git/config`, global, '/etc/gitconfig', system];
  const person = files.flatMap((file) => (file?.startsWith('/') === true ? [latin1(file)] : []));
  // Paths of the whole machine: the root of this view is the empty path.
  const named = [...configurationsOf(view, '', workTree), ...person].flatMap((file) => namedPlaces(view, '', file, workTree));
  const places = throughLinks(view, '', named).flatMap(({ path, setting }) =>
    path.startsWith(`${workspace}/`) ? [{ path: path.slice(workspace.length + 1), setting }] : [],
  );
  return { places, isSpent: view.isSpent() };
}
