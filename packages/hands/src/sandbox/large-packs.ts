import { lstatSync, readdirSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { join, nameOf, parentOf } from '../danger/tree-view.ts';
import type { ProcessRequest } from '../process/processes.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { Mount } from './bubblewrap-arguments.ts';
import type { PlaceFinding } from './finding.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';

/** A pack of this size is copied in about 4 ms, and a mount takes 0.1. */
const LARGE_PACK_BYTES = 8 * 1024 * 1024;
/** Maximum number of repositories to look at, at about 0.05 ms each, and of packs to keep. */
const MAX_REPOSITORIES = 20;
const MAX_PACKS = 20;
/** Words of commands that may delete or replace packs. A mounted file cannot be deleted. */
const REPLACES_PACKS = /\b(?:gc|repack|maintenance|prune|multi-pack-index|clean|clone|submodule|worktree|rm|rmdir|mv|find|unlink|rsync)\b/u;

/**
 * Returns the large packs of repositories in a folder.
 *
 * @param folder its path, or `/proc/self/fd/N`
 * @param repositories relative to it, each character standing for one byte (latin1)
 */
function largePacks(folder: string, repositories: readonly string[]): string[] {
  const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
  const isFolder = (path: string): boolean => lstatSync(at(path), { throwIfNoEntry: false })?.isDirectory() === true;
  const isLarge = (path: string): boolean => {
    const stat = path.endsWith('.pack') ? lstatSync(at(path), { throwIfNoEntry: false }) : undefined;
    return stat?.isFile() === true && stat.size >= LARGE_PACK_BYTES;
  };
  const packs = repositories.slice(0, MAX_REPOSITORIES).flatMap((path) => {
    const objects = join(path, 'objects');
    const place = join(objects, 'pack');
    try {
      // A link could lead a mount elsewhere.
      return isFolder(objects) && isFolder(place) ? readdirSync(at(place), 'latin1').map((name) => join(place, name)) : [];
    } catch (error) {
      // The command cannot read it either, or it is gone.
      if (errnoOf(error) === undefined) throw error;
      return [];
    }
  });
  return packs.filter(isLarge).slice(0, MAX_PACKS);
}

/** Where packs are looked for, and what the command is. */
interface PackSearch extends Pick<ProcessRequest, 'argv'> {
  readonly environment: ProcessRequest['environment'] | undefined;
  /** The workspace, by handle. */
  readonly self: string;
  readonly findings: readonly PlaceFinding[];
  readonly also: WorkspaceOverlay['also'] | undefined;
}

/** Packs that a command on a copy cannot change. */
export interface KeptPacks {
  /** In the workspace; each character stands for one byte (latin1). */
  readonly inside: readonly string[];
  /** In a repository outside of it. */
  readonly outside: readonly Mount[];
  /** Keeps git from packing the repository again: it could delete only the index of a mounted pack, and would keep the rest for good. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Finds the large packs that a command with git uses but does not replace. When git needs an object of a pack again, it sets the time of the
 * pack. On a copy-on-write view, that would copy the pack, which may have gigabytes. Where it cannot set the time, git writes the object again.
 */
export function keptPacks({ argv, environment = {}, self, findings, also }: PackSearch): KeptPacks {
  const command = argv.join(' ');
  if (!/\bgit\b/u.test(command) || REPLACES_PACKS.test(command)) return { inside: [], outside: [], environment: {} };
  // A script may delete another repository that was cloned into the workspace, and a command that uses git there names its folder.
  const isUsed = (path: string): boolean => path.split('/')[0] === '.git' || command.includes(nameOf(parentOf(path)));
  const repositories = findings.filter(({ kind, path, behindLink }) => kind === 'git-folder' && behindLink === undefined && isUsed(path));
  const inside = largePacks(
    self,
    repositories.map(({ path }) => path),
  );
  const outside = (also === undefined ? [] : largePacks(also.path, [''])).map((name): Mount => ({
    kind: 'read-only',
    path: joinPath(also?.path ?? '', name),
    source: joinPath(also?.source ?? '', name),
  }));
  if (inside.length + outside.length === 0) return { inside, outside, environment: {} };
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const settings = { GIT_CONFIG_COUNT: String(count + 1), [`GIT_CONFIG_KEY_${count}`]: 'gc.auto', [`GIT_CONFIG_VALUE_${count}`]: '0' };
  return { inside, outside, environment: settings };
}
