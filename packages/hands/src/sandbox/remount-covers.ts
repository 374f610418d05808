import { PROGRAMS } from '../launch/programs.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { readProcessFile } from '../process/process-table.ts';
import type { Processes } from '../process/processes.ts';
import { systemProgram } from '../launch/system-program.ts';
import type { Cover } from './workspace-mounts.ts';

/** setns and mount by architecture (asm/unistd.h). mount_setattr has one number everywhere. */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [setns: number, mount: number]>> = { x64: [308, 165], arm64: [268, 40] };

/** Milliseconds to mount them; it takes a few. */
const MOUNT_MS = 5_000;

/** Depth of nested PID namespaces in which this process is PID 1; 0 if it is not. */
function depthOfInit(pid: number): number {
  const ids = /^NSpid:(?<ids>.*\s1)$/mu.exec(readProcessFile(pid, 'status') ?? '')?.groups?.['ids'];
  return ids?.trim().split(/\s+/u).length ?? 0;
}

/**
 * Mounts covers in a running sandbox again.
 *
 * @param entries its processes
 * @returns false if not all could be mounted
 */
export async function remountCovers(
  { processes, cwd }: { readonly processes: Processes; readonly cwd: () => PinnedDirectory },
  entries: readonly ProcessEntry[],
  covers: readonly Cover[],
): Promise<boolean> {
  // It has ended.
  if (entries.length === 0) return true;
  const [first] = entries.map(({ pid }) => ({ pid, depth: depthOfInit(pid) })).toSorted((one, other) => other.depth - one.depth);
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (first === undefined || first.depth === 0 || perl === undefined || calls === undefined) return false;
  const { exitCode } = await processes.run({
    argv: [perl, '-e', PROGRAMS['cover.pl'], ...calls.map(String), String(first.pid), ...covers.flatMap(({ kind, path }) => [kind, path])],
    cwd,
    signal: AbortSignal.timeout(MOUNT_MS),
    onOutput: () => {},
  });
  return exitCode === 0;
}
