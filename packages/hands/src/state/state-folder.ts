import { statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { hash } from 'node:crypto';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { branchPlace } from './branch-place.ts';

/**
 * Returns Synapse's folder in a base folder of the XDG specification.
 * @param variable the environment variable with the base folder
 * @param fallback the base folder relative to the home folder, used if the variable is unset or relative
 */
export function xdgFolder(variable: 'XDG_STATE_HOME' | 'XDG_CONFIG_HOME', fallback: readonly string[], environment: NodeJS.ProcessEnv): string {
  const configured = environment[variable];
  // The specification requires relative values to be ignored.
  const base = configured?.startsWith('/') === true ? configured : join(homedir(), ...fallback);
  return join(base, 'synapse');
}

/**
 * Returns the default folder for audit, journal, locks and stored outputs: `$XDG_STATE_HOME/synapse`, else `~/.local/state/synapse`. In a branch
 * that is not mounted, that of the branch.
 */
export function defaultStateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return branchPlace(environment)?.state ?? xdgFolder('XDG_STATE_HOME', ['.local', 'state'], environment);
}

/** Returns the name of a workspace's folders in the state folder. Its copy in a branch has the same one. */
export function workspaceId(root: string): string {
  const place = branchPlace();
  if (root === place?.clone) return place.id;
  return hash('sha256', root, 'hex').slice(0, 16);
}

/** SQLite's result code for a full disk. */
const SQLITE_FULL = 13;
/** A database needs this much for the memory that its processes share. */
const NEEDED_BYTES = 64 * 1024;

function isFull(path: string, error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const result = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT' || result === SQLITE_FULL) return true;
  // SQLite does not always say why it cannot write.
  if (code === 'EACCES' || code === 'EROFS' || code === 'EISDIR') return false;
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize < NEEDED_BYTES;
    } catch {
      // It is missing: the disk is the one of the folder above.
      if (folder === dirname(folder)) return false;
    }
  }
}

/** The folder of a path as people can find it. Without a path of this machine, because agents elsewhere read it too. */
function shownFolder(path: string, environment: NodeJS.ProcessEnv): string {
  const usual = defaultStateFolder(environment);
  if (path !== usual && !path.startsWith(`${usual}/`)) return 'the state folder of Synapse';
  return environment['XDG_STATE_HOME']?.startsWith('/') === true ? '$XDG_STATE_HOME/synapse' : '~/.local/state/synapse';
}

/**
 * Returns the error for something that cannot be written in the state folder. Says whether its disk is full, and what to do.
 *
 * @param what such as `The audit log cannot be written`
 * @param path the file or folder
 */
export function stateProblem(what: string, path: string, error: unknown, environment: NodeJS.ProcessEnv = process.env): SynapseError {
  if (isSynapseError(error)) return error;
  if (!isFull(path, error)) {
    const hint = 'Make the state folder of Synapse writable, or set XDG_STATE_HOME to one that is.';
    return new SynapseError('unavailable', `${what}.`, { hint, cause: error });
  }
  return new SynapseError('unavailable', `${what}: the disk of the state folder of Synapse is full.`, {
    hint: `Free some space on the disk with ${shownFolder(path, environment)}, or set XDG_STATE_HOME to a folder on another. synapse changes drop and synapse quarantine free what waits there.`,
    cause: error,
  });
}
