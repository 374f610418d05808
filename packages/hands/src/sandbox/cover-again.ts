import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { readProcessFile } from '../process/process-table.ts';
import type { Processes } from '../process/processes.ts';
import { systemProgram } from './find-bubblewrap.ts';
import type { Cover } from './workspace-mounts.ts';

/** setns and mount by architecture (asm/unistd.h). mount_setattr has one number everywhere. */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [setns: number, mount: number]>> = { x64: [308, 165], arm64: [268, 40] };

/**
 * Enters the mounts of a process, as the user that owns them, and covers places as bubblewrap does (linux/mount.h, linux/nsfs.h): a file with a
 * device that cannot be opened, a folder with an empty one, and what is read-only or only held with itself.
 */
const PERL_PROGRAM = String.raw`
my ($setns, $mount, $pid, @orders) = @ARGV; $_ += 0 for $setns, $mount;
my ($null, $none, $tmpfs, $closed) = ("/dev/null", "none", "tmpfs", "mode=0000,size=4096");
open(my $mounts, "<", "/proc/$pid/ns/mnt") or exit 1;
my $owner = ioctl($mounts, 0xb701, 0); defined $owner or exit 1;
syscall($setns, $owner + 0, 0x10000000) == 0 && syscall($setns, fileno($mounts), 0x20000) == 0 or exit 1;
while (my ($kind, $path) = splice @orders, 0, 2) {
  my $from = $kind eq "masked-file" ? $null : "$path";
  my $made = $kind eq "masked-folder" ? syscall($mount, $tmpfs, $path, $tmpfs, 0x6, $closed) : syscall($mount, $from, $path, $none, 0x1000, $none);
  $made == 0 or exit 1;
  my $only = pack("Q4", 0x7, 0, 0, 0);
  $kind eq "writable" || syscall(442, -100, $path, 0, $only, 32) == 0 or exit 1;
}`;

/** Milliseconds to cover places; it takes a few. */
const COVER_MS = 5_000;

/** The number of nested namespaces whose first process this is the first of; 0 if it is none. */
function depthOfInit(pid: number): number {
  const ids = /^NSpid:(?<ids>.*\s1)$/mu.exec(readProcessFile(pid, 'status') ?? '')?.groups?.['ids'];
  return ids?.trim().split(/\s+/u).length ?? 0;
}

/**
 * Covers places in a running sandbox.
 *
 * @param entries its processes
 * @returns false if they are not all covered
 */
export async function coverAgain(
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
    argv: [perl, '-e', PERL_PROGRAM, ...calls.map(String), String(first.pid), ...covers.flatMap(({ kind, path }) => [kind, path])],
    cwd,
    signal: AbortSignal.timeout(COVER_MS),
    onOutput: () => {},
  });
  return exitCode === 0;
}
