import { readFile } from 'node:fs/promises';
import { SynapseError } from '@synapse/protocol';
import { watchResource, type ResourceWatch } from './resource-watch.ts';

/** Polling interval in milliseconds: a fast core allocates about 400 MiB in it. Faster growth triggers the OOM killer, which ends commands first. */
const INTERVAL_MS = 200;

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
  }, INTERVAL_MS);
}
