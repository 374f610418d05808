import { lstatSync, readlinkSync } from 'node:fs';
import { mountArguments, processTable, type Mount } from '../sandbox/bubblewrap-arguments.ts';
import { FIRST_HANDLE } from '../process/processes.ts';
import type { Proof } from './git-view.ts';

/** Where programs and libraries lie. Links among them, as most distributions have them, are made again as links. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
const PROGRAM_FILES = ['/etc/ld.so.cache'];

/** The program and its libraries, as this machine has them. */
export function programMounts(): string[] {
  return [...PROGRAM_FOLDERS, ...PROGRAM_FILES].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
}

/** Whether a program lies where the sandbox has programs. */
export function isShown(program: string): boolean {
  return PROGRAM_FOLDERS.some((folder) => program.startsWith(`${folder}/`));
}

/** How git ends where a mount is not the folder that is held; git itself ends otherwise. */
export const NOT_PROVEN = 223;

/**
 * bubblewrap mounts by name, and a name may lead elsewhere by then. So, once all is mounted and can be swapped no more,
 * each mount is compared with the handle it was meant for. Then the handles are closed: they lead out of the sandbox.
 */
function proofScript(proofs: readonly Proof[]): string {
  const tests = proofs.map((_, index) => `[ "$${index + 1}" -ef /proc/self/fd/${FIRST_HANDLE + index} ]`);
  const closes = proofs.map((_, index) => `${FIRST_HANDLE + index}<&-`);
  return `${[':', ...tests].join(' && ')} || exit ${NOT_PROVEN}; shift ${proofs.length}; exec "$@" ${closes.join(' ')}`;
}

/** What is run, and where. */
export interface ConfinedStart {
  /** Path of `bwrap`. */
  readonly bubblewrap: string;
  /** Root needs no user namespace, and in one could not read the files of others. */
  readonly asRoot: boolean;
  /** What {@link programMounts} gives. */
  readonly programs: readonly string[];
  readonly mounts: readonly Mount[];
  readonly proofs: readonly Proof[];
  /** Whether the process also inherits, after those handles, the filter of system calls. */
  readonly filtered: boolean;
  readonly cwd: string;
}

/** No network, nothing shared with other processes, and no right but, for root, to the files of other users. */
const NAMESPACES = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
// Every process that is started here has a session of its own already, and no terminal.
const LIFE = ['--die-with-parent', '--cap-drop', 'ALL'];

/** All that git opens there. Each further device is a mount, which takes time. */
const DEVICES = ['--dev-bind', '/dev/null', '/dev/null'];

/** The command line of `bwrap` around one of git, for a process that inherits the handles of the proofs. */
export function confinedArgv(
  { bubblewrap, asRoot, programs, mounts, proofs, filtered, cwd }: ConfinedStart,
  argv: readonly string[],
): [string, ...string[]] {
  return [
    bubblewrap,
    ...NAMESPACES,
    ...LIFE,
    // With CAP_DAC_READ_SEARCH root could open any file of a mounted disk by its number.
    ...(asRoot ? ['--cap-add', 'CAP_DAC_OVERRIDE'] : ['--unshare-user', '--disable-userns']),
    ...(filtered ? ['--seccomp', String(FIRST_HANDLE + proofs.length)] : []),
    ...programs,
    ...DEVICES,
    ...processTable(),
    ...mounts.flatMap((mount) => mountArguments(mount, 0)),
    '--remount-ro',
    '/',
    '--chdir',
    cwd,
    '--',
    '/bin/sh',
    '-c',
    proofScript(proofs),
    'sh',
    ...proofs.map(({ path }) => path),
    ...argv,
  ];
}
