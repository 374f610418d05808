import { readFile } from 'node:fs/promises';
import { SynapseError } from '@synapse/protocol';
import { watchResource, type ResourceWatch } from './resource-watch.ts';

/** How often the memory is looked at, in milliseconds; a fast core takes about 400 MiB meanwhile. What is faster meets the kernel, which ends commands first. */
const INTERVAL_MS = 200;

/** Bytes that programs can still get, counting what the kernel gives back of its caches (proc_meminfo(5)). */
export async function availableMemory(): Promise<number> {
  const line = /^MemAvailable:\s+(\d+) kB$/mu.exec(await readFile('/proc/meminfo', 'utf8'));
  if (line === null) throw new Error('no MemAvailable');
  return Number(line[1]) * 1024;
}

/**
 * Ends a command that uses up the memory of the machine. The limit of each process bounds one of them; many together
 * are bounded only by this. Where little was left already, a quarter of it is kept.
 *
 * @param read gives what is available, in bytes; for tests
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
