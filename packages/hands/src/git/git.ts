import { lstatSync, realpathSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { afterRunning } from '../events/timing.ts';
import type { Processes } from '../process/processes.ts';
import type { SandboxChoice } from '../sandbox/sandbox-choices.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Remembered, type Versions } from '../workspace-index/remembered.ts';
import { type ConfigEntry, formatConfig, parseConfigList } from './git-config.ts';
import { withBoundedMemory } from '../process/bounded-memory.ts';
import { GIT, LIST_MEMORY_KIB, LIST_MS, LIST_SETTINGS, listingEnvironment } from './git-environment.ts';
import { gitError } from './git-error.ts';
import { assertReadableSettings, foreignGitFolder, type GitFolders, realPathOf } from './git-folder.ts';
import { GitSandbox } from './git-sandbox.ts';
import { assertOwnObjects } from './alternates.ts';
import { isOwnSubmodule, Repository } from './repository.ts';
import { findRepository } from './repository-place.ts';
import { isUserSetting, safeConfig } from './safe-config.ts';
import { assertReadableFiles, unreadableFile } from './read-files.ts';
import { watchReads } from '../process/watch-reads.ts';
import { startGit } from './start-git.ts';
import { childPath, makeShadow, removeLeftovers } from './shadow-git-dir.ts';
import { userSettingsStamp } from './person-config.ts';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the users whose files git trusts: the effective one and, for root, the user who called sudo. */
function ownUsers(): ReadonlySet<number> {
  const users = new Set<number>();
  const effective = process.geteuid?.();
  if (effective !== undefined) users.add(effective);
  const caller = Number(process.env['SUDO_UID'] ?? Number.NaN);
  if (effective === 0 && Number.isInteger(caller)) users.add(caller);
  return users;
}

function realOrAsIs(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A missing folder cannot be the repository either way.
    return path;
  }
}

/**
 * Whether the user told git to trust a folder. The repository's settings do not count.
 * @param safeDirectories values of `safe.directory`, in order; an empty one resets the previous ones
 */
export function isTrusted(folder: string, safeDirectories: readonly string[]): boolean {
  let trusted = false;
  for (const value of safeDirectories) {
    if (value === '') trusted = false;
    else if (value === '*') trusted = true;
    else {
      const expanded = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value;
      if (expanded.endsWith('/*')) trusted ||= folder.startsWith(`${realOrAsIs(expanded.slice(0, -2))}/`);
      else trusted ||= realOrAsIs(expanded) === folder;
    }
  }
  return trusted;
}

/** Throws for a repository of another user, like git. Only the user can trust it, never Synapse. */
function assertOwned(root: PinnedDirectory, folders: GitFolders, settings: readonly ConfigEntry[]): void {
  const users = ownUsers();
  if (users.size === 0) return;
  const owners = [lstatSync(root.self), lstatSync(root.at('.git')), lstatSync(folders.own.self)].map(({ uid }) => uid);
  if (owners.every((uid) => users.has(uid))) return;
  const values = settings.filter((entry) => isUserSetting(entry) && entry.key === 'safe.directory');
  if (
    isTrusted(
      realPathOf(root),
      values.map(({ value = '' }) => Buffer.from(value, 'latin1').toString('utf8')),
    )
  )
    return;
  throw new SynapseError('denied', 'The repository belongs to another user of this machine, so git does not trust it.', {
    hint: 'A person who trusts it can say so with: git config --global --add safe.directory <its path>',
  });
}

/** Maximum size of settings in bytes. Real ones are a few KiB, or some hundred KiB with thousands of branches. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;

/** A request about a repository. */
interface RepositoryQuestion<T> {
  readonly workspace: Workspace;
  readonly path: string | undefined;
  /** The tool, and everything its answer depends on besides the repository and the path. */
  readonly question: readonly unknown[];
  /** Whether an answer may be cached. Default: every answer. */
  readonly isWhole?: (answer: T) => boolean;
}

/** Opens repositories without executing anything that they name or reading anything outside the workspace. */
export class Git {
  readonly #processes: Processes;
  readonly #shadows: string;
  readonly #sandbox: GitSandbox;
  readonly #answers: Remembered<unknown>;
  #ready = false;

  /**
   * @param shadows a folder outside every workspace, for the folders that replace `.git` while git runs
   * @param sandbox how git is confined when it works on a repository's data
   * @param versions reports when the workspace changed; by default, nothing is cached
   */
  constructor(processes: Processes, shadows: string, sandbox: SandboxChoice, versions: Versions = { version: async () => undefined }) {
    this.#processes = processes;
    this.#shadows = shadows;
    this.#sandbox = new GitSandbox(sandbox, processes);
    this.#answers = new Remembered(versions);
  }

  /**
   * Returns a cached answer about a repository if nothing changed in the workspace, its `.git` or the user's settings.
   * Only for a repository that is completely in the workspace. Every call is judged anew.
   */
  async remembered<T>({ workspace, path = '.', question, isWhole }: RepositoryQuestion<T>, work: () => Promise<T>): Promise<T> {
    const { root, folders, path: within } = findRepository(workspace, path);
    using _root = root;
    using _folders = folders;
    if (!folders.inside || !folders.commonInside) return await work();
    const key = JSON.stringify([displayPath(root.location), displayPath(within), question, userSettingsStamp()]);
    // All answers to one question have the same type.
    return (await this.#answers.get(key, work, (answer) => isWhole?.(answer as T) !== false)) as T;
  }

  /**
   * Opens the repository that a path of the workspace belongs to.
   * @throws SynapseError `not_a_repository`; `denied` if it belongs to another user or reads data outside
   */
  async open(workspace: Workspace, signal: AbortSignal, path = '.'): Promise<Repository> {
    using resources = new DisposableStack();
    const { root, folders, path: within, below } = findRepository(workspace, path);
    resources.use(root);
    resources.use(folders);
    const stores = folders.commonInside ? assertOwnObjects(workspace, folders.common) : undefined;
    assertReadableSettings(folders);
    assertReadableFiles(root, folders);
    const settings = await this.#settings(root, folders, signal);
    assertOwned(root, folders, settings);
    if (folders.unproven && !isOwnSubmodule(settings, realPathOf(folders.own), realPathOf(root), realOrNothing)) throw foreignGitFolder();
    if (!this.#ready) removeLeftovers(this.#shadows);
    this.#ready = true;
    const starter = resources.use(
      startGit({
        processes: this.#processes,
        sandbox: this.#sandbox,
        view: this.#sandbox.view({ workspace, root, folders, below, stores, settings }),
        shadow: (view) =>
          makeShadow(workspace, folders, formatConfig([...safeConfig(settings), ...(view?.settings ?? [])]), this.#shadows, view?.places),
      }),
    );
    const held = resources.move();
    return new Repository({ workspace, starter, signal, root, folders, path: within, below, settings, held });
  }

  /** Lists all effective settings, the user's and the repository's. Listing them runs nothing. */
  async #settings(root: PinnedDirectory, folders: GitFolders, signal: AbortSignal): Promise<ConfigEntry[]> {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const late = new AbortController();
    using _time = afterRunning(LIST_MS, () => late.abort());
    const unreadable = new AbortController();
    using watch = watchReads((file) => unreadable.abort(unreadableFile(file, root, childPath(folders.own))));
    const outcome = await this.#processes.run({
      argv: withBoundedMemory([...GIT, ...LIST_SETTINGS], LIST_MEMORY_KIB),
      cwd: root,
      environment: listingEnvironment(childPath(folders.own), childPath(folders.common)),
      onOutput(stream, chunk) {
        size += chunk.length;
        if (size <= MAX_SETTINGS_BYTES) (stream === 'stdout' ? output : errors).push(chunk);
      },
      onStart: watch.start,
      signal: AbortSignal.any([signal, late.signal, unreadable.signal]),
    });
    signal.throwIfAborted();
    unreadable.signal.throwIfAborted();
    if (late.signal.aborted) throw lateSettings();
    if (outcome.signal !== null || /out of memory/iu.test(Buffer.concat(errors).toString())) throw endlessSettings();
    // The folder may belong to another owner, so the error does not say what is wrong with it.
    if (outcome.exitCode !== 0 && folders.unproven) throw foreignGitFolder();
    if (outcome.exitCode !== 0) throw gitError(Buffer.concat(errors).toString('utf8'), outcome.exitCode, {});
    if (size > MAX_SETTINGS_BYTES) throw new SynapseError('too_large', 'This repository has more settings than can be right.');
    return parseConfigList(Buffer.concat(output));
  }
}

/** A configuration can include any file. */
const INCLUDES = 'Look at the [include] lines of .git/config: one may name a pipe, a device or a huge file.';

function endlessSettings(): SynapseError {
  return new SynapseError('too_large', 'The settings of this repository cannot be read to their end.', { hint: INCLUDES });
}

function lateSettings(): SynapseError {
  return new SynapseError('timeout', `git did not list the settings of this repository within ${LIST_MS / 1000} seconds.`, {
    hint: `Call again if this machine is busy. ${INCLUDES}`,
  });
}

function realOrNothing(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A submodule whose folder is missing is not this one.
    return '';
  }
}
