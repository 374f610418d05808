import { constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';

/** A file without a name (fcntl.h): Node has no constant for it. */
const O_TMPFILE = constants.O_DIRECTORY | 0o20_000_000;
/** What file systems without such files answer, and kernels that take the flags for those of a folder. */
const NO_NAMELESS: ReadonlySet<string | undefined> = new Set(['EOPNOTSUPP', 'EISDIR', 'EINVAL', 'ENOENT']);

/**
 * Opens an empty file that has no name, for reading and writing: a folder and a name for it would cost each command six changes of the file
 * system, and the end of a folder takes a millisecond where its block is discarded at once.
 *
 * @throws SynapseError `unavailable` if there is no place for one
 */
export function openNameless(folder = tmpdir()): number {
  try {
    return openSync(folder, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
  } catch (error) {
    if (!NO_NAMELESS.has(errnoOf(error))) throw noPlace(error);
  }
  return openUnlinked(folder);
}

function openUnlinked(parent: string): number {
  let folder: string;
  try {
    folder = mkdtempSync(join(parent, 'synapse-sandbox-'));
  } catch (error) {
    throw noPlace(error);
  }
  try {
    return openSync(join(folder, 'content'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function noPlace(error: unknown): unknown {
  if (errnoOf(error) === undefined) return error;
  return new SynapseError('unavailable', 'No temporary file can be made, so commands cannot be confined.', {
    hint: 'Set TMPDIR to a folder that can be written.',
    cause: error,
  });
}
