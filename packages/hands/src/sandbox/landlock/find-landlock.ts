import { compiledLauncher, type CompiledLauncher } from '../../launch/compiled-launcher.ts';
import type { Argv } from '../../launch/launch-steps.ts';
import { PROGRAMS } from '../../launch/programs.ts';
import { FIRST_HANDLE } from '../../process/processes.ts';
import { systemProgram } from '../../launch/system-program.ts';
import { keepAnonymous, openAnonymous } from '../run-files.ts';
import { keptFilter } from '../seccomp/call-filter.ts';
import { CALLS_UNDER_LANDLOCK } from '../seccomp/landlock-calls.ts';
import { SYSTEM_PLACES } from '../shown-places.ts';
import { tryRun } from '../try-run.ts';
import { diskTree, follow } from '../view/tree.ts';
import { LEAST_ABI, planText } from './landlock-plan.ts';
import { closeSync } from 'node:fs';

/** Landlock of this machine. */
export interface Landlock {
  /** What the kernel has of it. */
  readonly abi: number;
  /** Path of the program that starts confined commands. */
  readonly program: string;
  /** Variables for that program, which it removes again. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Wraps a command line that inherits the plan and the filter as these descriptors, and as a further one the file for the number of
   * processes that the command leaves running.
   */
  readonly wrap: (argv: Argv, plan: number, filter: number, cwd: string, left?: number) => Argv;
}

/** Landlock, or why it does not work here. */
export type FoundLandlock = Landlock | { readonly problem: string; readonly fix?: string };

/** prctl, capset, kill and prlimit64 by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [prctl: number, capset: number, kill: number, prlimit: number]>> = {
  x64: [157, 126, 62, 302],
  arm64: [167, 91, 129, 261],
};
const NO_HANDLE = -1;
/** Against a warning about a locale that is not installed. */
const QUIET_PERL = { PERL_BADLANG: '0' };

const LINUX = 'It takes Linux 6.2 or newer with landlock in the kernel parameter lsm=, and in containers a filter of system calls that allows it.';
const PERL = 'Debian, Ubuntu: apt install perl-base. Fedora: dnf install perl-interpreter. Alpine: apk add perl.';

/** Prints the ABI; an error number with a minus if there is none. */
const ASK = 'my $abi = syscall(444, 0, 0, 1); print STDERR $abi >= 0 ? $abi : "-" . ($! + 0)';
/** ENOSYS: a kernel without it. EOPNOTSUPP: one that has it turned off. Else, such as EPERM, a filter refuses the call. */
const NO_ABI: Readonly<Record<string, string>> = { '-38': 'the kernel has no Landlock', '-95': 'Landlock is turned off in the kernel' };

/** Succeeds if the top folder, which no rule allows, cannot be listed. */
const IS_CONFINED = 'set -- /*; [ "$1" = "/*" ] || exit 9';

/** A program that can start commands under Landlock. */
interface Starter extends Omit<Landlock, 'abi'> {
  /** Returns the ABI, or an error number with a minus. */
  readonly ask: () => Promise<string>;
}

const compiledStarter = ({ program, ask }: CompiledLauncher): Starter => ({
  program,
  ask: async () => await ask('landlock-abi'),
  environment: {},
  wrap: (argv, plan, filter, cwd, left = NO_HANDLE) => [program, 'landlock', String(plan), String(filter), String(left), cwd, ...argv],
});

function perlStarter(perl: string, calls: readonly number[]): Starter {
  return {
    program: perl,
    ask: async () => (await tryRun(perl, ['-e', ASK])).message,
    environment: QUIET_PERL,
    wrap: (argv, plan, filter, cwd, left = NO_HANDLE) => {
      const words = [...[plan, filter, left, ...calls].map(String), cwd];
      return [perl, '-e', PROGRAMS['landlock.pl'], ...words, ...argv];
    },
  };
}

/**
 * Finds Landlock, and tries it with a command.
 *
 * @param root the real path of the workspace; undefined if there is none
 */
export async function findLandlock(root?: string): Promise<FoundLandlock> {
  const calls = CALLS[process.arch];
  if (process.platform !== 'linux' || calls === undefined) return { problem: `Landlock is not used on ${process.platform} ${process.arch}` };
  const [compiled, perl] = [await compiledLauncher(root), systemProgram('perl')];
  const starter = compiled !== undefined ? compiledStarter(compiled) : perl === undefined ? undefined : perlStarter(perl, calls);
  if (starter === undefined) return { problem: 'perl, which starts commands under Landlock, is not installed', fix: PERL };
  const { ask, ...start } = starter;
  const asked = await ask();
  const abi = /^\d+$/u.test(asked) ? Number(asked) : undefined;
  if (abi === undefined) return { problem: NO_ABI[asked] ?? 'the system refuses the calls of Landlock', fix: LINUX };
  if (abi < LEAST_ABI) return { problem: `the kernel has Landlock with ABI ${abi}, under which a command could empty any file of yours`, fix: LINUX };
  const landlock: Landlock = { ...start, abi };
  const problem = await trialProblem(landlock);
  return problem === undefined ? landlock : { problem, fix: LINUX };
}

async function trialProblem({ abi, wrap }: Landlock): Promise<string | undefined> {
  const kept = keptFilter(CALLS_UNDER_LANDLOCK);
  if (kept === undefined) return 'there is no filter of system calls for this processor';
  const tree = diskTree();
  const places = new Set(SYSTEM_PLACES.flatMap(({ path }) => follow(tree, path)?.real ?? []));
  const rules = [...places, '/etc/ld.so.cache'].map((path) => ({ path, rights: ['list', 'read'] as const }));
  const plan = keepAnonymous(planText({ abi, rules, network: false, processes: undefined, environment: {} }));
  try {
    using filter = openAnonymous(kept);
    const [program, ...args] = wrap(['/bin/sh', '-c', IS_CONFINED], FIRST_HANDLE, FIRST_HANDLE + 1, '/');
    const { worked, message } = await tryRun(program, args, '/', [plan, filter.descriptor]);
    if (worked) return undefined;
    return message === '' ? 'a trial was not confined' : `a trial failed (${message.replace(/^synapse-landlock: /u, '')})`;
  } finally {
    closeSync(plan);
  }
}
