import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxChoice } from '../sandbox/command-processes.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import { openCallFilter } from '../sandbox/seccomp/call-filter.ts';
import { SetupFailure } from '../sandbox/setup-failure.ts';
import { NOT_PROVEN, confinedArgv, isShown, programMounts, type ConfinedStart } from './confined-argv.ts';
import { GIT, repositoryEnvironment } from './git-environment.ts';
import { STAND_IN_PLACE, gitView, usesLfs, type GitView, type GitViewParts } from './git-view.ts';

type Request = Omit<ProcessRequest, 'argv' | 'handles' | 'environment'>;
type Programs = Pick<ConfinedStart, 'bubblewrap' | 'asRoot' | 'programs'> & { readonly git: string };

/** The real path of a program that PATH names. */
function programPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
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

function findPrograms(): Programs | undefined {
  const bubblewrap = process.platform === 'linux' ? systemProgram('bwrap') : undefined;
  const git = programPath('git');
  if (bubblewrap === undefined || git === undefined || !isShown(git)) return undefined;
  return { bubblewrap, asRoot: process.geteuid?.() === 0, programs: programMounts(), git };
}

/**
 * Runs git in bubblewrap: it sees programs, the workspace and the repository, all read-only, and nothing else of this
 * machine. Where no sandbox works, or one could not show all that a repository is made of, git runs hardened as it is,
 * unless a sandbox is required.
 */
export class GitSandbox {
  readonly #choice: SandboxChoice;
  readonly #processes: Processes;
  /** Undefined until looked for, null where there are none. */
  #programs: Programs | null | undefined;
  /** Whether it is known to work, so that a failure is of one run. */
  #works = false;

  constructor(choice: SandboxChoice, processes: Processes) {
    this.#choice = choice;
    this.#processes = processes;
  }

  /**
   * What git is to see of a repository; undefined where it is to run without a sandbox.
   * @throws SynapseError `unavailable` where that is not permitted
   */
  view(parts: GitViewParts): GitView | undefined {
    if (this.#choice === 'none') return undefined;
    this.#programs ??= findPrograms() ?? null;
    const found = this.#programs !== null && parts.root.descriptor !== undefined;
    const lfs = usesLfs(parts.settings) ? programPath('git-lfs') : undefined;
    const view = found && (lfs === undefined || isShown(lfs)) ? gitView(parts) : undefined;
    if (view !== undefined || this.#choice === 'auto') return view;
    throw new SynapseError(
      'unavailable',
      found ? 'This repository has parts that a sandbox for git cannot show.' : 'There is no sandbox for git here.',
      { hint: 'A person can permit git without one: --sandbox auto (CLI, MCP server) or sandbox: "auto" (library).' },
    );
  }

  /**
   * Runs git in a view of its repository. Undefined where it turns out that no sandbox works here, and none is required.
   * @throws SynapseError `busy` where the repository was moved meanwhile
   */
  async run(view: GitView, standIn: string, given: readonly string[], request: Request): Promise<ProcessOutcome | undefined> {
    if (this.#programs === null || this.#programs === undefined) {
      if (this.#choice === 'auto') return undefined;
      throw new SynapseError('unavailable', 'There is no sandbox for git here.');
    }
    const { git, ...programs } = this.#programs;
    const mounts = [...view.mounts, { kind: 'writable' as const, path: STAND_IN_PLACE, source: standIn }];
    const environment = { ...repositoryEnvironment(STAND_IN_PLACE), ...view.environment };
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

  /** Whoever races with a mount must not bring git out of its sandbox: a failure counts only where nothing is there to be raced. */
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
