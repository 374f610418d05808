import { statfs } from 'node:fs/promises';
import { SynapseError } from '@synapse/protocol';
import { watchResource, type ResourceWatch } from './resource-watch.ts';

/** Polling interval of the free space, in milliseconds; a fast disk takes about 400 MiB in this time. */
const INTERVAL_MS = 200;
/** Minimum number of free inodes: without them no file can be created, whatever the free space. */
const KEEP_FREE_INODES = 10_000;

/** Free space and inodes of a disk. A disk that does not count inodes reports a total of zero. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly freeInodes: number;
  readonly inodes: number;
}

async function diskSpace(path: string): Promise<DiskSpace> {
  const { bavail, bsize, ffree, files } = await statfs(path);
  return { freeBytes: bavail * bsize, freeInodes: ffree, inodes: files };
}

/**
 * Ends a command that fills the disk. On a disk that was nearly full before, the command may use half of the remaining space.
 *
 * @param read returns the space; for tests
 */
export function watchDisk(path: string, keepFreeBytes: number, read: (path: string) => Promise<DiskSpace> = diskSpace): ResourceWatch {
  let floor: { readonly bytes: number; readonly inodes: number } | undefined;
  return watchResource(async () => {
    const { freeBytes, freeInodes, inodes } = await read(path);
    floor ??= { bytes: Math.min(keepFreeBytes, freeBytes / 2), inodes: inodes === 0 ? -1 : Math.min(KEEP_FREE_INODES, freeInodes / 2) };
    if (freeBytes >= floor.bytes && freeInodes > floor.inodes) return undefined;
    return new SynapseError('unavailable', 'The command was ended because it was filling the disk.', {
      hint: 'Delete what it wrote, and let it write less.',
    });
  }, INTERVAL_MS);
}
