import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../../workspace/file-error.ts';
import { workspaceId } from '../workspace-id.ts';

const SEGMENT = /^audit-(\d{6})\.jsonl$/u;

/** One of the files that a log consists of. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/** The folder that holds the log of a workspace. */
export function auditFolder(stateFolder: string, root: string): string {
  return join(stateFolder, 'audit', workspaceId(root));
}

/** Makes the folder of a log, for its owner alone. */
export function makeAuditFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `audit-${String(number).padStart(6, '0')}.jsonl`);
}

function unreadable(what: string, cause?: unknown): SynapseError {
  return new SynapseError('unavailable', `The audit log cannot be read: ${what}.`, {
    hint: 'Look at the folder "audit" in the state folder of Synapse: something else took its place, or it belongs to another user.',
    cause,
  });
}

/**
 * Opens a file of a log, to be read and written. A link there would take the records elsewhere, or write over what is
 * there; a pipe would make everybody wait.
 *
 * @param how further flags, such as `O_APPEND`
 */
export function openOwnFile(path: string, how: number): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw unreadable('one of its files is no file');
}

/**
 * The files of a log, oldest first; none where nothing was ever recorded.
 * @throws SynapseError `unavailable` where that cannot be told: a log that cannot be read is not an empty one
 */
export function listSegments(folder: string): Segment[] {
  const segments: Segment[] = [];
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    // A link that leads nowhere has a name: there was a log, or there will be none.
    const isNone = [folder, dirname(folder)].every((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== false);
    if (errnoOf(error) === 'ENOENT' && isNone) return [];
    throw unreadable('its folder is none, or not for this user', error);
  }
  for (const name of names) {
    const number = SEGMENT.exec(name)?.[1];
    const stat = number === undefined ? undefined : lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat?.isFile() === false) throw unreadable(`${name} is no file`);
    if (stat !== undefined) segments.push({ number: Number(number), path: join(folder, name), bytes: stat.size, modified: stat.mtimeMs });
  }
  return segments.toSorted((a, b) => a.number - b.number);
}
