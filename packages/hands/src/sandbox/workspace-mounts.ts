import { isUtf8 } from 'node:buffer';
import { lstatSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayName } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { ProcessRequest } from '../process/processes.ts';
import type { Mount } from './bubblewrap-arguments.ts';
import type { ClosedPlaces } from './closed-places.ts';
import type { PlaceFinding } from './finding.ts';
import { SYSTEM_PLACES } from './shown-places.ts';

/** Maximum number of mounts, at about 0.1 ms each. Beyond it, the rules are too wide to enforce file by file. */
const MAX_MOUNTS = 2_000;

/** What a command may do in the workspace. */
export interface WorkspaceMountOptions {
  readonly root: PinnedDirectory;
  /** The root's path, which is the same inside and outside the sandbox. */
  readonly rootPath: string;
  /** An overlay for the root, such as an overlay of it. */
  readonly source?: string;
  readonly writable: boolean;
  /** Paths of listening sockets of processes outside, as they were bound. */
  readonly sockets: readonly string[];
  /** Files that may be read although a rule denies it. */
  readonly approvedReads: ReadonlySet<string>;
  /** Folders outside the workspace that a person shows to commands, by their real paths. */
  readonly shown: readonly string[];
  /** Read-only paths in a writable workspace. */
  readonly closed: ClosedPlaces;
  /** Whether the source already hides its hidden places. Default: no. */
  readonly isHiding?: boolean;
}

/** A path that must not be moved or changed. */
interface BindMount {
  readonly path: string;
  readonly kind: 'writable' | 'read-only';
}

function ancestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a path is one of these folders, or inside one. */
export function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  return folders.has('') || folders.has(path) || ancestors(path).some((folder) => folders.has(folder));
}

/** The folders where no writing is allowed. */
function lockedFolders(findings: readonly PlaceFinding[]): ReadonlySet<string> {
  return new Set(findings.flatMap(({ path, kind, isFolder }) => (kind === 'locked' && isFolder ? [path] : [])));
}

/**
 * Paths that rules deny writing, as read-only mounts; and every folder whose name a denying rule contains, mounted on itself:
 * renaming it would move a file to where no rule matches it. From the top down, because a mount hides earlier mounts below it.
 */
function bindMounts(findings: readonly PlaceFinding[]): BindMount[] {
  const locked = lockedFolders(findings);
  const places = new Map<string, BindMount['kind']>();
  const parents = (path: string): string | undefined => ancestors(path).at(-1) ?? (path === '' ? undefined : '');
  for (const { path, kind, byPlace, behindLink } of findings) {
    if (behindLink === 'outside') continue;
    if (kind !== 'denied' && kind !== 'locked') continue;
    const parent = parents(path);
    // A locked folder also locks its content.
    if (kind === 'locked' && (parent === undefined || !isWithin(parent, locked))) places.set(path, 'read-only');
    if (byPlace !== true) continue;
    for (const folder of ancestors(path)) if (!isWithin(folder, locked)) places.set(folder, places.get(folder) ?? 'writable');
  }
  return Array.from(places, ([path, kind]) => ({ path, kind })).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A path as a command-line argument. A place whose name is not UTF-8 cannot be protected, so no command starts. */
function nameable(path: string): string {
  const bytes = Buffer.from(path, 'latin1');
  if (isUtf8(bytes)) return bytes.toString();
  throw new SynapseError('unavailable', `${displayName(bytes)} must be kept from commands, but its name is not UTF-8.`, {
    hint: 'Rename it, or the folders it is in.',
  });
}

/** Runs a function on paths that were found. A path that is too long for any program cannot be hidden from commands either. */
export function reachable<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) !== 'ENAMETOOLONG') throw error;
    throw new SynapseError('unavailable', 'Commands do not run: a place that must be kept from them lies deeper than any path can be long.', {
      hint: 'A person can look for it with: find . -name .git -execdir pwd \\; and delete the folders that it is in.',
      cause: error,
    });
  }
}

/** A place that commands must not read. Relative to the workspace; each character stands for one byte (latin1). */
export interface HiddenPlace {
  readonly path: string;
  readonly isFolder: boolean;
  /** The link to it that a rule denies; the place itself is not denied. */
  readonly link?: string;
}

/** The places to hide: in the workspace, and outside of it by absolute path. */
export interface HiddenPlaces {
  readonly inside: readonly HiddenPlace[];
  readonly outside: readonly HiddenPlace[];
}

type HidingOptions = Pick<WorkspaceMountOptions, 'root' | 'rootPath' | 'sockets' | 'approvedReads' | 'shown'>;

/** Excludes links, which bubblewrap would follow. The sweep after the command judges new links. */
function exists({ root }: Pick<WorkspaceMountOptions, 'root'>, path: string): boolean {
  const stat = lstatSync(Buffer.from(`${root.self}/${path}`, 'latin1'), { throwIfNoEntry: false });
  return stat !== undefined && !stat.isSymbolicLink();
}

/** The target of a denied link, which must not be read under its own path either. */
function behindLink({ root }: HidingOptions, path: string): HiddenPlace[] {
  const at = Buffer.from(`${root.self}/${path}`, 'latin1');
  if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
  try {
    const real = realpathSync(at, { encoding: 'buffer' });
    return [{ path: real.toString('latin1'), isFolder: lstatSync(real).isDirectory(), link: path }];
  } catch {
    // A dangling link, or not accessible to this user.
    return [];
  }
}

const latin1 = (path: string): string => Buffer.from(path).toString('latin1');

/**
 * Whether a place outside may be hidden because a link in the workspace leads to it. Only what a person shows in addition: a link to
 * a program, a system folder or a folder around the workspace would otherwise stop every command, and any clone may contain one.
 */
function mayHideOutside(path: string, { rootPath, shown }: HidingOptions): boolean {
  if (isWithin(latin1(rootPath), new Set([path]))) return false;
  const isIn = (folders: readonly string[]): boolean => folders.some((folder) => path.startsWith(`${latin1(folder)}/`));
  return isIn(shown) && !isIn(SYSTEM_PLACES.map((place) => place.path)) && !SYSTEM_PLACES.some((place) => isWithin(place.path, new Set([path])));
}

function isApproved({ path, kind, isFolder, behindLink: behind }: PlaceFinding, approved: ReadonlySet<string>): boolean {
  const bytes = Buffer.from(path, 'latin1');
  return behind !== 'outside' && kind === 'denied' && !isFolder && isUtf8(bytes) && approved.has(bytes.toString());
}

const linkOf = ({ link }: { readonly link?: string }): { link?: string } => (link === undefined ? {} : { link });

/** Returns the places that a command must not read. */
export function hiddenPlaces(findings: readonly PlaceFinding[], options: HidingOptions): HiddenPlaces {
  const heldNames = new Set(options.sockets.map((path) => basename(path)));
  const root = `${latin1(options.rootPath)}/`;
  const inside: HiddenPlace[] = [];
  const outside: HiddenPlace[] = [];
  for (const finding of findings) {
    const { path, kind, isFolder } = finding;
    if (finding.behindLink === 'outside') {
      if (mayHideOutside(path, options)) outside.push({ path, isFolder, ...linkOf(finding) });
      continue;
    }
    for (const real of kind === 'denied' ? behindLink(options, path) : [])
      if (real.path.startsWith(root)) inside.push({ ...real, path: real.path.slice(root.length) });
      else if (mayHideOutside(real.path, options)) outside.push(real);
    // A socket with a listener outside would allow an escape. Without a listener, a command may delete it.
    const isHeld = kind === 'socket' && heldNames.has(basename(Buffer.from(path, 'latin1').toString()));
    if ((isHeld || (kind === 'denied' && !isApproved(finding, options.approvedReads))) && exists(options, path))
      inside.push({ path, isFolder, ...linkOf(finding) });
  }
  return { inside, outside };
}

/** What is closed, from the top down, because a mount hides earlier mounts below it. */
function closedInOrder({ repositories, readOnly }: WorkspaceMountOptions['closed']): Array<[path: string, kind: 'writable' | 'read-only']> {
  const depth = (path: string): number => path.split('/').length;
  const kinds = new Map([...repositories.map((path) => [path, 'writable'] as const), ...readOnly.map((path) => [path, 'read-only'] as const)]);
  return [...kinds].toSorted(([one], [other]) => depth(one) - depth(other));
}

/**
 * Returns the mounts for the workspace. They only contain existing paths: bubblewrap would create missing ones, as stubs that
 * remain, or elsewhere through a link. A name that does not exist yet is judged after the command.
 */
export function workspaceMounts(findings: readonly PlaceFinding[], options: WorkspaceMountOptions): Mount[] {
  const { rootPath, source, writable, closed, isHiding = false } = options;
  const locked = lockedFolders(findings);
  const mounts: Mount[] = [
    { kind: writable && !locked.has('') ? 'writable' : 'read-only', path: rootPath, ...(source === undefined ? {} : { source }) },
  ];
  const at = (path: string): string => `${rootPath}/${nameable(path)}`;
  const from = (path: string): { source?: string } => (source === undefined ? {} : { source: `${source}/${nameable(path)}` });
  const bound = writable && !isHiding ? bindMounts(findings) : [];
  for (const { path, kind } of bound.filter(({ path }) => path !== '' && exists(options, path))) mounts.push({ kind, path: at(path), ...from(path) });
  // Before the hidden places, and from the top down, because a mount hides earlier mounts below it.
  const close = (path: string, kind: 'writable' | 'read-only'): void => {
    if (exists(options, path) && !isWithin(path, locked)) mounts.push({ kind, path: at(path), ...from(path) });
  };
  if (writable) for (const [path, kind] of closedInOrder(closed)) close(path, kind);
  const mask = (isFolder: boolean): 'masked-folder' | 'masked-file' => (isFolder ? 'masked-folder' : 'masked-file');
  const { inside, outside } = hiddenPlaces(findings, options);
  for (const place of outside) mounts.push({ kind: mask(place.isFolder), path: nameable(place.path), ...linkOf(place) });
  for (const place of isHiding ? [] : inside) mounts.push({ kind: mask(place.isFolder), path: at(place.path), ...linkOf(place) });
  // Read-only, because only reading was approved.
  const approved = findings.filter((finding) => isApproved(finding, options.approvedReads) && exists(options, finding.path));
  for (const { path } of approved) mounts.push({ kind: 'read-only', path: at(path), ...from(path) });
  if (mounts.length <= MAX_MOUNTS) return mounts;
  throw new SynapseError('too_large', `${mounts.length} places of the workspace would have to be kept from commands one by one.`, {
    hint: 'Make the rules name folders instead of files.',
  });
}

/** Mounts that keep a place of a sandbox as it is, or hidden. */
export type Cover = Extract<Mount, { kind: 'masked-file' | 'masked-folder' | 'read-only' | 'writable' }>;
const KINDS: ReadonlySet<Mount['kind']> = new Set<Cover['kind']>(['masked-file', 'masked-folder', 'read-only', 'writable']);

/** Returns the mounts that cover places in a folder. */
export const coversIn = (mounts: readonly Mount[], folder: string): Cover[] =>
  mounts.filter((mount): mount is Cover => KINDS.has(mount.kind) && mount.path.startsWith(`${folder}/`));

/** Mounts the repository above the workspace: a copy, which never changes. */
export function repositoryMounts({ repository }: ProcessRequest): Mount[] {
  if (repository === undefined) return [];
  const beside = repository.beside.map((path): Mount => ({ kind: 'read-only', path, optional: true }));
  return [{ kind: 'read-only', path: repository.path, source: repository.source }, ...beside];
}
