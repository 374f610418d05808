import { closeSync, constants, fstatSync, openSync, readFileSync, type BigIntStats, type PathLike } from 'node:fs';
import { errnoOf } from './file-error.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a regular file; undefined if there is none, or if it is larger or cannot be read. */
export function readRegular(path: PathLike, maxBytes: number): { readonly bytes: Buffer; readonly stat: BigIntStats } | undefined {
  try {
    const fd = openSync(path, READ);
    try {
      const stat = fstatSync(fd, { bigint: true });
      return stat.isFile() && stat.size <= BigInt(maxBytes) ? { bytes: readFileSync(fd), stat } : undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
