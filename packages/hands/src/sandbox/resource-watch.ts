import { statSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { SynapseError } from '@synapse/protocol';

/**
 * Polling interval in milliseconds. A fast disk takes about 400 MiB in this time, and a fast core allocates as much. Faster
 * growth triggers the OOM killer, which ends commands first.
 */
const INTERVAL_MS = 200;
/** Minimum number of free inodes: without them no file can be created, whatever the free space. */
const KEEP_FREE_INODES = 10_000;

/** Watches a resource of the machine while a command runs. */
export interface ResourceWatch extends Disposable {
  /** Aborted with the error to report when the resource runs out. */
  readonly signal: AbortSignal;
}

/**
 * Checks a resource at once and at an interval.
 *
 * @param look returns why the command must end; undefined while it may run. If it throws, the command continues
 */
function watchResource(look: () => Promise<SynapseError | undefined>): ResourceWatch {
  const controller = new AbortController();
  const lookOnce = async (): Promise<void> => {
    try {
      const error = await look();
      if (error !== undefined) controller.abort(error);
    } catch {
      // A resource that cannot be read is not watched. The limits of each process and file still apply.
    }
  };
  void lookOnce();
  const timer = setInterval(() => void lookOnce(), INTERVAL_MS);
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Leaves one path of each disk. A path that cannot be looked at stays. */
export function onePerDisk(paths: readonly string[]): readonly string[] {
  const byDisk = new Map(paths.map((path) => [statSync(path, { throwIfNoEntry: false })?.dev ?? path, path]));
  return [...byDisk.values()];
}

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
  });
}

/** Bytes that programs can still allocate, including caches that the kernel can free (proc_meminfo(5)). */
export async function availableMemory(): Promise<number> {
  const line = /^MemAvailable:\s+(\d+) kB$/mu.exec(await readFile('/proc/meminfo', 'utf8'));
  if (line === null) throw new Error('no MemAvailable');
  return Number(line[1]) * 1024;
}

/**
 * Ends a command that uses up the memory of the machine. The limit per process applies to each process alone. Without a
 * control group, only this limits many together. If little memory was free at the start, a quarter of it is kept.
 *
 * @param read returns the available memory in bytes; for tests
 */
export function watchMemory(keepFreeBytes: number, read: () => Promise<number> = availableMemory): ResourceWatch {
  let floor: number | undefined;
  return watchResource(async () => {
    const available = await read();
    floor ??= Math.min(keepFreeBytes, available / 4);
    if (available >= floor) return undefined;
    return new SynapseError('unavailable', 'The command was ended because it was using up the memory of this machine.', {
      hint: 'Let it do less at once, with fewer processes (such as -j 2).',
    });
  });
}
