import { executionTargets } from '../danger/execution-targets.ts';
import { linkedPlaces } from '../danger/linked-places.ts';
import { throughLinks, type NamedPlace } from '../danger/link-route.ts';
import { foldBytes } from '../danger/protected-places.ts';
import { join, nameOf, parentOf, type TreeView } from '../danger/tree-view.ts';
import type { PlaceFinding } from './finding.ts';

/** Files of a repository that make git run programs or redirect it. Commits, fetches and checkouts do not write them. */
const GIT_CLOSED = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir', 'objects/info/alternates', 'remotes', 'branches'];

/** Package managers delete and fill these folders, and no editor or agent is started in them. */
const isInstalled = (path: string): boolean => path.split('/').includes('node_modules');

/** The folders above a path, outermost first. */
const above = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join('/'));

/** Paths inside a repository are closed there, and a path through a link where it leads. */
function mountable(view: TreeView, places: readonly NamedPlace[]): string[] {
  const paths = places.map(({ path }) => path).filter((path) => !path.split('/').includes('.git'));
  return paths.filter((path) => !above(path).some((folder) => view.type(folder) === 'link'));
}

/** Paths that a command on the workspace itself must not change, because a change could take effect before it is reverted. */
export interface ClosedPlaces {
  /** Folders of repositories, and those above what they name: mounted on themselves, they cannot be renamed and replaced. */
  readonly repositories: readonly string[];
  readonly readOnly: readonly string[];
}

/**
 * Finds existing files that other programs execute or obey, at any depth: settings of git and the paths that they name, and
 * instructions to agents, editors and shells.
 *
 * @param outside what configurations outside the workspace name in it
 */
export function closedPlaces(view: TreeView, rootPath: string, findings: readonly PlaceFinding[], outside: readonly NamedPlace[]): ClosedPlaces {
  const repositories: string[] = [];
  const readOnly: string[] = [];
  const named = mountable(view, throughLinks(view, rootPath, outside));
  const holders = new Set<string>();
  for (const { path, kind, behindLink } of findings) {
    if (behindLink !== undefined || isInstalled(path)) continue;
    if (kind === 'protected' || (kind === 'git-folder' && nameOf(path) === '.git')) holders.add(parentOf(path));
    if (kind === 'protected' || kind === 'git-pointer') readOnly.push(path);
    if (kind !== 'git-folder' && kind !== 'git-pointer') continue;
    const places = executionTargets(view, rootPath, foldBytes(nameOf(path)) === '.git' ? parentOf(path) : path, false);
    named.push(...mountable(view, throughLinks(view, rootPath, places)));
    if (kind !== 'git-folder') continue;
    repositories.push(path);
    readOnly.push(...GIT_CLOSED.map((name) => join(path, name)));
  }
  const linked = [...holders].flatMap((folder) => linkedPlaces(view, rootPath, folder));
  named.push(...mountable(view, throughLinks(view, rootPath, linked)));
  readOnly.push(...named);
  // A folder on the way could be replaced by a link.
  const held = [...new Set(named.flatMap(above))].filter((folder) => view.type(folder) === 'folder');
  return { repositories: [...repositories, ...held], readOnly: [...new Set(readOnly)] };
}

export const NOTHING_CLOSED: ClosedPlaces = { repositories: [], readOnly: [] };
