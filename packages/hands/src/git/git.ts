import { realpathSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import type { SandboxChoice } from '../sandbox/command-processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Remembered, type Versions } from '../workspace-index/remembered.ts';
import { formatConfig, parseConfigList, type ConfigEntry } from './git-config.ts';
import { GIT, LIST_SETTINGS, listingEnvironment } from './git-environment.ts';
import { gitError } from './git-error.ts';
import { assertReadableSettings, foreignGitFolder, realPathOf, type GitFolders } from './git-folder.ts';
import { GitSandbox } from './git-sandbox.ts';
import { assertOwnObjects } from './outside-objects.ts';
import { assertOwned } from './ownership.ts';
import { isOwnSubmodule, Repository } from './repository.ts';
import { findRepository } from './repository-place.ts';
import { safeConfig } from './safe-config.ts';
import { startGit } from './start-git.ts';
import { childPath, makeStandIn, removeLeftovers } from './stand-in-folder.ts';
import { userSettingsStamp } from './user-settings.ts';

/** Real settings are a few KiB; thousands of branches make some hundred. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;

/** A question about a repository. */
export interface RepositoryQuestion<T> {
  readonly workspace: Workspace;
  readonly path: string | undefined;
  /** The tool, and all that its answer depends on beside the repository and the path. */
  readonly question: readonly unknown[];
  /** Whether an answer may be given again. Default: each may. */
  readonly isWhole?: (answer: T) => boolean;
}

/** Opens repositories so that nothing they say is executed, and nothing outside the workspace is read. */
export class Git {
  readonly #processes: Processes;
  readonly #standIns: string;
  readonly #sandbox: GitSandbox;
  readonly #answers: Remembered<unknown>;
  #ready = false;

  /**
   * @param standIns a folder outside every workspace, for what stands in for a `.git` while git runs
   * @param sandbox how git is confined where it works on a repository's data
   * @param versions tells when the workspace changed; by default nothing is remembered
   */
  constructor(processes: Processes, standIns: string, sandbox: SandboxChoice, versions: Versions = { version: async () => undefined }) {
    this.#processes = processes;
    this.#standIns = standIns;
    this.#sandbox = new GitSandbox(sandbox, processes);
    this.#answers = new Remembered(versions);
  }

  /**
   * Gives an answer about a repository again while nothing in the workspace changed, its `.git` included, nor the person's
   * own settings. Only of a repository that lies in the workspace as a whole. Every call is judged anew.
   */
  async remembered<T>({ workspace, path = '.', question, isWhole }: RepositoryQuestion<T>, work: () => Promise<T>): Promise<T> {
    const { root, folders, path: within } = findRepository(workspace, path);
    using _root = root;
    using _folders = folders;
    if (!folders.inside || !folders.commonInside) return await work();
    const key = JSON.stringify([displayPath(root.location), displayPath(within), question, userSettingsStamp()]);
    // Each question has answers of one type: its own.
    return (await this.#answers.get(key, work, (answer) => isWhole?.(answer as T) !== false)) as T;
  }

  /**
   * Opens the repository that a path of the workspace belongs to.
   * @throws SynapseError `not_a_repository`; `denied` where it is another user's or reads what lies outside
   */
  async open(workspace: Workspace, signal: AbortSignal, path = '.'): Promise<Repository> {
    using resources = new DisposableStack();
    const { root, folders, path: within } = findRepository(workspace, path);
    resources.use(root);
    resources.use(folders);
    const stores = folders.commonInside ? assertOwnObjects(workspace, folders.common) : undefined;
    assertReadableSettings(folders);
    const settings = await this.#settings(root, folders, signal);
    assertOwned(root, folders, settings);
    if (folders.unproven && !isOwnSubmodule(settings, realPathOf(folders.own), realPathOf(root), realOrNothing)) throw foreignGitFolder();
    if (!this.#ready) removeLeftovers(this.#standIns);
    this.#ready = true;
    const starter = resources.use(
      startGit({
        processes: this.#processes,
        sandbox: this.#sandbox,
        view: this.#sandbox.view({ workspace, root, folders, stores, settings }),
        standIn: (view) =>
          makeStandIn(workspace, folders, formatConfig([...safeConfig(settings), ...(view?.settings ?? [])]), this.#standIns, view?.places),
      }),
    );
    const held = resources.move();
    return new Repository({ workspace, starter, signal, root, folders, path: within, settings, held });
  }

  /** Every setting that counts here, the user's and the repository's. Listing them runs nothing. */
  async #settings(root: PinnedDirectory, folders: GitFolders, signal: AbortSignal): Promise<ConfigEntry[]> {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const outcome = await this.#processes.run({
      argv: [...GIT, ...LIST_SETTINGS],
      cwd: root,
      environment: listingEnvironment(childPath(folders.own), childPath(folders.common)),
      onOutput(stream, chunk) {
        size += chunk.length;
        if (size <= MAX_SETTINGS_BYTES) (stream === 'stdout' ? output : errors).push(chunk);
      },
      signal,
    });
    signal.throwIfAborted();
    // Whatever is wrong with a folder that may be somebody else's is not told.
    if (outcome.exitCode !== 0 && folders.unproven) throw foreignGitFolder();
    if (outcome.exitCode !== 0) throw gitError(Buffer.concat(errors).toString('utf8'), outcome.exitCode, {});
    if (size > MAX_SETTINGS_BYTES) throw new SynapseError('too_large', 'This repository has more settings than can be right.');
    return parseConfigList(Buffer.concat(output));
  }
}

function realOrNothing(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A submodule whose folder is not there is not this one.
    return '';
  }
}
