import { configurationsOf } from '../danger/git-pointer.ts';
import { namedPlaces } from '../danger/named-places.ts';
import { join, nameOf, parentOf, type TreeView } from '../danger/tree-view.ts';
import type { Finding } from './workspace-index.ts';

/** What of a repository makes git run something or leads it elsewhere; commits, fetches and checkouts write none of it. */
const GIT_CLOSED = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir', 'objects/info/alternates', 'remotes', 'branches'];

/** Package managers delete and fill these, and no editor or agent is started in there. */
const isInstalled = (path: string): boolean => path.split('/').includes('node_modules');

/** What a command that writes to the workspace itself may not change, as nothing could be taken back in time. */
export interface ClosedPlaces {
  /** Folders of repositories: mounted on themselves, they cannot be renamed and replaced. */
  readonly repositories: readonly string[];
  readonly readOnly: readonly string[];
}

/**
 * Finds the existing places that other programs execute or obey, at any depth: orders to git, what its configuration names,
 * and orders to agents, editors and shells.
 */
export function closedPlaces(view: TreeView, rootPath: string, findings: readonly Finding[]): ClosedPlaces {
  const repositories: string[] = [];
  const readOnly: string[] = [];
  for (const { path, kind, behindLink } of findings) {
    if (behindLink !== undefined || isInstalled(path)) continue;
    if (kind === 'protected' || kind === 'git-pointer') readOnly.push(path);
    if (kind !== 'git-folder') continue;
    repositories.push(path);
    readOnly.push(...GIT_CLOSED.map((name) => join(path, name)));
    if (nameOf(path) !== '.git') continue;
    const workTree = parentOf(path);
    const named = configurationsOf(view, rootPath, workTree).flatMap((file) => namedPlaces(view, rootPath, file, workTree));
    // What lies in a repository is closed there.
    readOnly.push(...named.map((place) => place.path).filter((place) => !place.split('/').includes('.git')));
  }
  return { repositories, readOnly: [...new Set(readOnly)] };
}

export const NOTHING_CLOSED: ClosedPlaces = { repositories: [], readOnly: [] };

/** Only those at the top, where what a command does elsewhere is judged before it is made. */
export function atTop(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ path }) => !path.includes('/') || path.startsWith('.git/'));
}
