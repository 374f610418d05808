import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { BOUND_DATA } from '../process/bounded-memory.ts';
import { pathOutside } from '../process/path-outside.ts';
import { FIRST_HANDLE, type Processes, type ProcessOutcome, type ProcessRequest } from '../process/processes.ts';
import type { SandboxChoice } from '../sandbox/sandbox-choices.ts';
import { systemProgram } from '../launch/system-program.ts';
import { openCallFilter } from '../sandbox/seccomp/call-filter.ts';
import { SetupFailure } from '../sandbox/setup-failure.ts';
import { GIT, repositoryEnvironment } from './git-environment.ts';
import { gitMounts, type GitMounts, type GitMountsParts, type Proof, SHADOW_PLACE, usesLfs } from './git-mounts.ts';
import { type Mount, mountArguments, processTable } from '../sandbox/bubblewrap-arguments.ts';

/** Folders of programs and libraries. Links among them, which most distributions have, are recreated as links. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
const PROGRAM_FILES = ['/etc/ld.so.cache'];

/** Returns the mount arguments for programs and libraries of this machine. */
export function programMounts(): string[] {
  return [...PROGRAM_FOLDERS, ...PROGRAM_FILES].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
}

/** Whether a program is in a folder that the sandbox shows. */
function isShown(program: string): boolean {
  return PROGRAM_FOLDERS.some((folder) => program.startsWith(`${folder}/`));
}

/** Exit code if a mount is not the folder held by a handle; git does not use it. */
export const NOT_PROVEN = 223;

/**
 * bubblewrap mounts by path, which may have been redirected. Once everything is mounted and cannot be swapped any more,
 * each mount is compared with its handle. Then the handles are closed, because they lead out of the sandbox.
 */
function proofScript(proofs: readonly Proof[]): string {
  const tests = proofs.map((_, index) => `[ "$${index + 1}" -ef /proc/self/fd/${FIRST_HANDLE + index} ]`);
  const closes = proofs.map((_, index) => `${FIRST_HANDLE + index}<&-`);
  return `${[':', ...tests].join(' && ')} || exit ${NOT_PROVEN}; shift ${proofs.length}; ${BOUND_DATA} exec "$@" ${closes.join(' ')}`;
}

/** What to run, and where. */
export interface ConfinedStart {
  /** Path of `bwrap`. */
  readonly bubblewrap: string;
  /** Root needs no user namespace; in one, it could not read the files of other users. */
  readonly asRoot: boolean;
  /** The result of {@link programMounts}. */
  readonly programs: readonly string[];
  readonly mounts: readonly Mount[];
  readonly proofs: readonly Proof[];
  /** Whether the process inherits the system call filter after those handles. */
  readonly filtered: boolean;
  readonly cwd: string;
}

/** No network, nothing shared with other processes, and no privileges except, for root, access to the files of other users. */
const NAMESPACES = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
// Every process that is started here already has a separate session without a terminal.
const LIFE = ['--die-with-parent', '--cap-drop', 'ALL'];

/** The only device that git opens. Each further device is a mount, which takes time. */
const DEVICES = ['--dev-bind', '/dev/null', '/dev/null'];

/** Wraps a git command line in `bwrap`, for a process that inherits the handles of the proofs. */
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

type Request = Omit<ProcessRequest, 'argv' | 'handles' | 'environment'>;
type Programs = Pick<ConfinedStart, 'bubblewrap' | 'asRoot' | 'programs'> & { readonly git: string };

/** Returns the real path of a program on the PATH, but not of one in the workspace. */
function programPath(name: string, root: string): string | undefined {
  const folders = pathOutside(process.env['PATH'] ?? '', root)
    .split(':')
    .filter((folder) => folder.startsWith('/'));
  const found = folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        // Not there: the next folder is tried.
        return false;
      }
    });
  return found === undefined ? undefined : realpathSync(found);
}

function findPrograms(root: string): Programs | undefined {
  const bubblewrap = process.platform === 'linux' ? systemProgram('bwrap') : undefined;
  const git = programPath('git', root);
  if (bubblewrap === undefined || git === undefined || !isShown(git)) return undefined;
  return { bubblewrap, asRoot: process.geteuid?.() === 0, programs: programMounts(), git };
}

/**
 * Runs git in bubblewrap. It sees programs, the workspace and the repository, all read-only, and nothing else of this
 * machine. If no sandbox works, or it cannot show all parts of a repository, git runs hardened but unsandboxed,
 * unless a sandbox is required.
 */
export class GitSandbox {
  readonly #choice: SandboxChoice;
  readonly #processes: Processes;
  /** Undefined before the search, null if they were not found. */
  #programs: Programs | null | undefined;
  /** Whether the sandbox is known to work, so that a failure affects only one run. */
  #works = false;

  constructor(choice: SandboxChoice, processes: Processes) {
    this.#choice = choice;
    this.#processes = processes;
  }

  /**
   * Returns what git sees of a repository; undefined to run without a sandbox.
   * @throws SynapseError `unavailable` if a sandbox is required but not possible
   */
  view(parts: GitMountsParts): GitMounts | undefined {
    if (this.#choice === 'none') return undefined;
    this.#programs ??= findPrograms(parts.workspace.root) ?? null;
    const found = this.#programs !== null && parts.root.descriptor !== undefined;
    const lfs = usesLfs(parts.settings) ? programPath('git-lfs', parts.workspace.root) : undefined;
    const view = found && (lfs === undefined || isShown(lfs)) ? gitMounts(parts) : undefined;
    if (view !== undefined || this.#choice === 'auto') return view;
    throw new SynapseError(
      'unavailable',
      found ? 'This repository has parts that a sandbox for git cannot show.' : 'No sandbox for git works here.',
      { hint: 'A person can permit git without one: --sandbox auto (CLI, MCP server) or sandbox: "auto" (library).' },
    );
  }

  /**
   * Runs git in a view of its repository. Returns undefined if no sandbox works here and none is required.
   * @throws SynapseError `busy` if the repository was moved in the meantime
   */
  async run(view: GitMounts, shadow: string, given: readonly string[], request: Request): Promise<ProcessOutcome | undefined> {
    if (this.#programs === null || this.#programs === undefined) {
      if (this.#choice === 'auto') return undefined;
      throw new SynapseError('unavailable', 'No sandbox for git works here.');
    }
    const { git, ...programs } = this.#programs;
    const mounts = [...view.mounts, { kind: 'writable' as const, path: SHADOW_PLACE, source: shadow }];
    const environment = { ...repositoryEnvironment(SHADOW_PLACE), ...view.environment };
    try {
      const outcome = await this.#start({ ...programs, ...view, mounts }, [git, ...GIT.slice(1), ...given], { ...request, environment });
      this.#works = true;
      return outcome;
    } catch (error) {
      if (this.#choice !== 'auto' || !isSynapseError(error) || error.code !== 'unavailable') throw error;
      if (await this.#isUsable(programs, request)) throw replaced();
      this.#programs = null;
      return undefined;
    }
  }

  async #start(
    start: Omit<ConfinedStart, 'filtered'>,
    argv: readonly string[],
    request: Request & Pick<ProcessRequest, 'environment'>,
  ): Promise<ProcessOutcome> {
    const failure = new SetupFailure();
    using filter = openCallFilter();
    const outcome = await this.#processes.run({
      ...request,
      argv: confinedArgv({ ...start, filtered: filter !== undefined }, argv),
      handles: [...start.proofs.map(({ directory }) => directory), ...(filter === undefined ? [] : [filter])],
      onOutput: failure.watch(request.onOutput),
    });
    if (outcome.aborted) return outcome;
    if (outcome.exitCode === NOT_PROVEN) throw replaced();
    failure.assertStarted(outcome);
    return { ...outcome, sandbox: 'bubblewrap' };
  }

  /** Tests the sandbox without mounts. A race with a mount must not make git run unsandboxed, so only this failure counts. */
  async #isUsable(programs: Omit<Programs, 'git'>, { cwd, signal }: Request): Promise<boolean> {
    if (this.#works) return true;
    try {
      const trial: Omit<ConfinedStart, 'filtered'> = { ...programs, mounts: [], proofs: [], cwd: '/' };
      const { exitCode, aborted } = await this.#start(trial, ['/bin/sh', '-c', ':'], { cwd, signal, onOutput: () => {} });
      return aborted || exitCode === 0;
    } catch {
      // The sandbox cannot be set up for this user on this machine.
      return false;
    }
  }
}

function replaced(): SynapseError {
  return new SynapseError('busy', 'The repository was moved or replaced while git was to look at it.', { hint: 'Repeat the call.' });
}
