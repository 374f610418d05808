import { isUtf8 } from 'node:buffer';
import { lstatSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayName } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Mount } from './bubblewrap-arguments.ts';
import type { ClosedPlaces } from './closed-places.ts';
import { isWithin, keptPlaces, lockedFolders } from './kept-mounts.ts';
import type { Finding } from './workspace-index.ts';

/** Each mount costs about 0.1 ms; beyond this a rule is too wide to be carried out file by file. */
const MAX_MOUNTS = 2_000;

/** What a command may do with the places in the workspace. */
export interface WorkspaceMountOptions {
  readonly root: PinnedDirectory;
  /** The root's path in the sandbox, which is that outside. */
  readonly rootPath: string;
  /** What stands in for the root, such as an overlay of it. */
  readonly source?: string;
  readonly writable: boolean;
  /** Paths of the sockets that processes outside hold, as these bound them. */
  readonly sockets: readonly string[];
  /** Files that may be read although they are denied otherwise. */
  readonly approvedReads: ReadonlySet<string>;
  /** What stays as it is although the workspace may be written. */
  readonly closed: ClosedPlaces;
}

/** A path as an argument can hold it. A place that cannot be named cannot be protected: no command is started then. */
function nameable(path: string): string {
  const bytes = Buffer.from(path, 'latin1');
  if (isUtf8(bytes)) return bytes.toString();
  throw new SynapseError('unavailable', `${displayName(bytes)} must be kept from commands, but its name is not UTF-8.`, {
    hint: 'Rename it, or the folders it lies in.',
  });
}

/** What is denied under the name of a link must not be read under its own name either, wherever that is. */
function linkedMask(root: PinnedDirectory, path: string): Mount[] {
  const at = Buffer.from(`${root.self}/${path}`, 'latin1');
  if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
  let real: Buffer;
  try {
    real = realpathSync(at, { encoding: 'buffer' });
  } catch {
    // It leads nowhere, or where this user may not go.
    return [];
  }
  return [{ kind: lstatSync(real).isDirectory() ? 'masked-folder' : 'masked-file', path: nameable(real.toString('latin1')) }];
}

/**
 * The mounts for the workspace. Only places that exist are named: bubblewrap would make others, as stubs that stay, or
 * through a link somewhere else. A name that does not exist yet is judged after the command.
 */
export function workspaceMounts(findings: readonly Finding[], options: WorkspaceMountOptions): Mount[] {
  const { root, rootPath, source, writable, closed } = options;
  const heldNames = new Set(options.sockets.map((path) => basename(path)));
  const locked = lockedFolders(findings);
  const mounts: Mount[] = [
    { kind: writable && !locked.has('') ? 'writable' : 'read-only', path: rootPath, ...(source === undefined ? {} : { source }) },
  ];
  const at = (path: string): string => `${rootPath}/${nameable(path)}`;
  const from = (path: string): { source?: string } => (source === undefined ? {} : { source: `${source}/${nameable(path)}` });
  const exists = (path: string): boolean => {
    const stat = lstatSync(Buffer.from(`${root.self}/${path}`, 'latin1'), { throwIfNoEntry: false });
    // bubblewrap would follow a link; whoever made it a link is judged after the command.
    return stat !== undefined && !stat.isSymbolicLink();
  };
  for (const { path, kind } of writable ? keptPlaces(findings) : []) {
    if (path !== '' && exists(path)) mounts.push({ kind, path: at(path), ...from(path) });
  }
  // Before what is hidden: a mount hides what was mounted below it before, so also from the top down.
  const close = (path: string, kind: 'writable' | 'read-only'): void => {
    if (exists(path) && !isWithin(path, locked)) mounts.push({ kind, path: at(path), ...from(path) });
  };
  const order = (one: string, other: string): number => one.split('/').length - other.split('/').length;
  const kinds = new Map([
    ...closed.repositories.map((path) => [path, 'writable'] as const),
    ...closed.readOnly.map((path) => [path, 'read-only'] as const),
  ]);
  if (writable) for (const path of [...kinds.keys()].toSorted(order)) close(path, kinds.get(path) ?? 'read-only');
  for (const { path, kind, isFolder, behindLink } of findings) {
    if (behindLink === 'outside') mounts.push({ kind: isFolder ? 'masked-folder' : 'masked-file', path: nameable(path) });
    if (behindLink === 'outside') continue;
    if (kind === 'denied') mounts.push(...linkedMask(root, path));
    if (!exists(path)) continue;
    // Read-only: reading is all that was approved.
    if (kind === 'denied' && !isFolder && options.approvedReads.has(nameable(path)))
      mounts.push({ kind: 'read-only', path: at(path), ...from(path) });
    else if (kind === 'denied') mounts.push({ kind: isFolder ? 'masked-folder' : 'masked-file', path: at(path) });
    // A socket that a process outside holds would be a way out; one that nobody holds may be deleted.
    if (kind === 'socket' && heldNames.has(basename(nameable(path)))) mounts.push({ kind: 'masked-file', path: at(path) });
  }
  if (mounts.length <= MAX_MOUNTS) return mounts;
  throw new SynapseError('too_large', `${mounts.length} places of the workspace would have to be kept from commands one by one.`, {
    hint: 'Make the rules name folders instead of files.',
  });
}
