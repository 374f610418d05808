import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSmallFile, realPathOf, type GitFolders } from './git-folder.ts';

/** The parts of a repository's data that reading needs. Settings and hooks are not among them. */
const PARTS = /^(?:objects|refs|packed-refs|reftable|logs|info|shallow|sharedindex\.[0-9a-f]+|AUTO_MERGE|(?!HEAD$)[A-Z_]*HEAD)$/u;

/** Whether an entry of a repository's data is one of those. */
export const isPart = (name: string): boolean => PARTS.test(name);

/** Maximum size of HEAD in bytes; a real one has a few hundred. */
const MAX_SYMREF_BYTES = 4 * 1024;

/**
 * git creates a lock beside the target of a link, but follows at most five links (its lockfile code).
 * With one more, everything that git writes for the index stays in the shadow folder, and the real index is
 * never changed: `git diff` refreshes the index even if optional locks are not allowed.
 */
const INDEX_LINKS = 6;

const PROCESS_FOLDER = `/proc/${process.pid}`;

/** Whether children can see the handles of this process. A process that gained capabilities hides them. */
const handlesAreVisible = ((): boolean => statSync(PROCESS_FOLDER, { throwIfNoEntry: false })?.uid === process.geteuid?.())();

/** Returns a path through which a child reaches a folder by the handle held here. */
export function childPath(directory: PinnedDirectory): string {
  const { self } = directory;
  return self.startsWith('/proc/self/fd/') && handlesAreVisible ? self.replace('/proc/self', PROCESS_FOLDER) : realPathOf(directory);
}

/** Where git reaches the folders of a repository. */
export interface ShadowPlaces {
  readonly own: string;
  readonly common: string;
}

/** Judges a part by the target it leads to; returns false if it does not exist. */
function isUsable(workspace: Workspace, from: PinnedDirectory, name: string, inside: boolean): boolean {
  // Throws if a link leaves the workspace.
  if (inside && lstatSync(from.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    workspace.pin(join(realPathOf(from), name))[Symbol.dispose]();
  }
  const stat = statSync(from.at(name), { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile() || stat.isDirectory()) return stat !== undefined;
  // git would block forever on a pipe.
  throw new SynapseError('not_a_repository', `${name} in the .git of this folder is neither a file nor a folder.`);
}

/** A folder whose parts are linked. */
interface Source {
  readonly directory: PinnedDirectory;
  readonly inside: boolean;
  /** Its path in a sandbox; undefined without one, where it is reached through the handle. */
  readonly place: string | undefined;
}

function partPath({ directory, place }: Source, name: string): string {
  if (place === undefined) return join(childPath(directory), name);
  // A relative link would not resolve from another folder. It was judged, and in the sandbox all targets are inside.
  return lstatSync(directory.at(name)).isSymbolicLink() ? realpathSync.native(directory.at(name)) : join(place, name);
}

function linkParts(workspace: Workspace, from: Source, to: string): void {
  for (const name of readdirSync(from.directory.self)) {
    if (isPart(name) && isUsable(workspace, from.directory, name, from.inside)) symlinkSync(partPath(from, name), join(to, name));
  }
}

/** Copies HEAD. git accepts no linked HEAD, except the old form of a link to a branch. */
function copyHead(from: PinnedDirectory, to: string): void {
  const isLink = lstatSync(from.at('HEAD')).isSymbolicLink();
  const head = isLink ? Buffer.from(`ref: ${readlinkSync(from.at('HEAD'))}\n`) : readSmallFile(from, 'HEAD', MAX_SYMREF_BYTES);
  if (head === undefined) throw new SynapseError('not_a_repository', 'The HEAD of this repository cannot be read.');
  writeFileSync(join(to, 'HEAD'), head);
}

function linkIndex(workspace: Workspace, from: Source, to: string): void {
  if (!isUsable(workspace, from.directory, 'index', from.inside)) return;
  let target = partPath(from, 'index');
  for (let link = INDEX_LINKS; link > 0; link -= 1) {
    const name = `index-${link}`;
    symlinkSync(target, join(to, name));
    target = name;
  }
  symlinkSync(target, join(to, 'index'));
}

/** Maximum age of a shadow folder in milliseconds: a day. It lives as long as a call; an older one was left by a killed process. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Removes unused shadow folders. */
export function removeLeftovers(parent: string): void {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** A folder that git uses as the repository's `.git`. */
export interface ShadowGitDir extends Disposable {
  readonly path: string;
}

/**
 * Creates a folder that replaces a repository's `.git`: links to its data, through handles, and the given
 * settings instead of its own. git thus reads the repository without reading its settings or hooks,
 * and they cannot be changed between check and use.
 *
 * @param places where git reaches the data in its sandbox; undefined without one
 */
export function makeShadow(workspace: Workspace, folders: GitFolders, config: Buffer, parent: string, places?: ShadowPlaces): ShadowGitDir {
  const path = mkdtempSync(join(parent, 'repository-'));
  try {
    copyHead(folders.own, path);
    const own: Source = { directory: folders.own, inside: folders.inside, place: places?.own };
    linkIndex(workspace, own, path);
    linkParts(workspace, own, path);
    let common = path;
    if (folders.common !== folders.own) {
      common = join(path, 'common');
      mkdirSync(common);
      linkParts(workspace, { directory: folders.common, inside: folders.commonInside, place: places?.common }, common);
      writeFileSync(join(path, 'commondir'), 'common\n');
    }
    writeFileSync(join(common, 'config'), config);
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
  // It contains only links and copies: removing it removes nothing of the repository.
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
