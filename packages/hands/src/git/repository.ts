import { opendirSync } from 'node:fs';
import { resolve } from 'node:path';
import { SynapseError, type SandboxTier } from '@synapse/protocol';
import { displayText, displayPath, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ConfigEntry } from './git-config.ts';
import { gitError, type Subject } from './git-error.ts';
import { watchReads } from '../process/watch-reads.ts';
import { readsWhole, unreadableFile } from './read-files.ts';
import { readSmallFile, realPathOf, type GitFolders } from './git-folder.ts';
import { filtersLeftOut, isPartialClone, remoteNames, safeConfig } from './safe-config.ts';
import type { GitStarter } from './start-git.ts';
import { findRepository } from './repository-place.ts';

/** Maximum bytes of git's stderr; it is only matched against known messages. */
const MAX_STDERR_BYTES = 16 * 1024;
/** Maximum size of the list of commits at which a shallow clone ends, in bytes; one line per commit. */
const MAX_SHALLOW_BYTES = 4 * 1024 * 1024;
/** Maximum size of a list of submodules, in bytes. */
const MAX_SUBMODULES_BYTES = 1024 * 1024;
/** Maximum number of filters named. A repository may have any number. */
const MAX_FILTERS_NAMED = 5;
/** Maximum number of names that are read in a folder. git creates about 15 in `hooks`. */
const MAX_NAMES = 200;
const SLASH = 0x2f;

/** What to run in a repository. */
export interface GitRequest extends Subject {
  /** The subcommand and its arguments; created by a builder that keeps values from being options. */
  readonly arguments: readonly string[];
  /** Receives the output as it arrives. */
  readonly onOutput: (chunk: Buffer) => void;
  /** The input of git. Default: none. */
  readonly input?: string;
  /** An exit code other than 0 that is not a failure. */
  readonly fine?: number;
  /** Aborted when the output suffices: git is ended, and the run counts as successful. */
  readonly enough?: AbortSignal;
}

/** The dependencies of a repository. */
export interface RepositoryParts {
  readonly workspace: Workspace;
  readonly starter: GitStarter;
  readonly signal: AbortSignal;
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  readonly path: WorkspacePath;
  /** The workspace, below the root; empty if the root is in the workspace. */
  readonly below: WorkspacePath;
  readonly settings: readonly ConfigEntry[];
  /** Resources that are disposed with it. */
  readonly held: Disposable;
}

/** An open repository. git uses its data, and only settings that run no program. */
export class Repository implements Disposable {
  readonly #parts: RepositoryParts;

  constructor(parts: RepositoryParts) {
    this.#parts = parts;
  }

  /** The top of the working tree, from the workspace root; `.` for the workspace itself, `..` for the folder above. */
  get location(): string {
    return locationOf(this.#parts);
  }

  /** The workspace as a folder of a repository above it; else undefined. Files outside the workspace are not shown. */
  get below(): string | undefined {
    return pathArgument(this.#parts.below);
  }

  /** The real path of the top of the working tree. */
  get top(): string {
    return realPathOf(this.#parts.root);
  }

  /** The settings that git can see. */
  get safeSettings(): readonly ConfigEntry[] {
    return safeConfig(this.#parts.settings);
  }

  /** All settings, of the person and of the repository. They may name programs and contain passwords: they are read, and never passed on. */
  get settings(): readonly ConfigEntry[] {
    return this.#parts.settings;
  }

  /** The folder of HEAD, the index and the marks of a merge or rebase. */
  get ownFolder(): PinnedDirectory {
    return this.#parts.folders.own;
  }

  /** Whether programs run when something is committed, checked out, merged or pushed. */
  get hasHooks(): boolean {
    const names = filesOf(this.#parts.folders.common, 'hooks');
    return names.length >= MAX_NAMES || names.some((name) => !name.endsWith('.sample'));
  }

  /** Whether a file gives commits other parents. */
  get hasGrafts(): boolean {
    const names = filesOf(this.#parts.folders.common, 'info');
    return names.length >= MAX_NAMES || names.includes('grafts');
  }

  /** Whether it lists submodules. */
  get hasSubmodules(): boolean {
    return readSmallFile(this.#parts.root, '.gitmodules', MAX_SUBMODULES_BYTES) !== undefined;
  }

  /** How git is confined; certain only after it ran. */
  get sandbox(): SandboxTier {
    return this.#parts.starter.sandbox();
  }

  get remotes(): readonly string[] {
    return remoteNames(this.#parts.settings);
  }

  /** A note for answers about the working tree: what was left out, and that filters and git in submodules were not run. */
  get caveat(): string | undefined {
    const names = filtersLeftOut(this.#parts.settings).map((name) => displayText(Buffer.from(name, 'latin1').toString('utf8')));
    const shown = names.slice(0, MAX_FILTERS_NAMED).join(', ');
    const caveats = [
      ...(this.below === undefined ? [] : [`The workspace is ${displayPath(this.#parts.below)} of the repository; what is beside it is left out.`]),
      ...(names.length === 0 ? [] : [`Content filters of this repository were not run (${shown}); files that they rewrite may look changed.`]),
      ...(this.hasSubmodules ? ['Of submodules only new commits show; for files that are changed in one, ask with its folder as path.'] : []),
    ];
    return caveats.length === 0 ? undefined : caveats.join(' ');
  }

  get isPartial(): boolean {
    return isPartialClone(this.#parts.settings);
  }

  /** The commits at which a shallow clone ends: their parents are missing. Empty for a full clone. */
  get shallowCommits(): ReadonlySet<string> {
    const file = readSmallFile(this.#parts.folders.common, 'shallow', MAX_SHALLOW_BYTES);
    return new Set(
      file
        ?.toString('latin1')
        .split('\n')
        .filter((line) => line !== ''),
    );
  }

  /** The path that the repository was opened for, as an argument for git; undefined for the whole repository. */
  get path(): string | undefined {
    return pathArgument(this.#parts.path);
  }

  /** Converts another path to an argument; it must belong to this repository. */
  pathOf(path: string): string | undefined {
    const place = findRepository(this.#parts.workspace, path);
    using _folders = place.folders;
    using root = place.root;
    if (locationOf(place) !== this.location) {
      throw new SynapseError('invalid_arguments', `${displayPath([...root.location, ...place.path])} belongs to another repository.`, {
        hint: 'Ask about one repository at a time.',
      });
    }
    return pathArgument(place.path);
  }

  /** Converts a path that git printed relative to the top of the working tree to one that tools accept. */
  display(bytes: Buffer): string {
    const { root, below } = this.#parts;
    const names: WorkspacePath = splitBytes(bytes).map(nameFromBytes);
    const isBelow = below.every((name, index) => names[index] === name);
    // The path of a completely untracked folder ends in a slash.
    const end = bytes.at(-1) === SLASH ? '/' : '';
    return isBelow ? displayPath([...root.location, ...names.slice(below.length)]) + end : `${this.location}/${displayPath(names)}${end}`;
  }

  /** Converts a path of a diff. git prints it relative to the workspace if that is a folder of the repository. */
  displayChange(bytes: Buffer): string {
    return displayPath([...this.#parts.root.location, ...splitBytes(bytes).map(nameFromBytes)]);
  }

  /** Converts a path of a diff to an argument. */
  changeArgument(name: string): string {
    return this.below === undefined ? name : `${this.below}/${name}`;
  }

  /**
   * Runs git in the top of the working tree.
   * @throws SynapseError the reason of the call's signal once that is aborted; else the error for git's failure
   */
  async run(request: GitRequest): Promise<void> {
    const { root, starter, signal } = this.#parts;
    const stderr: Buffer[] = [];
    let left = MAX_STDERR_BYTES;
    const unreadable = new AbortController();
    using watch = watchReads((file) => unreadable.abort(unreadableFile(file, root, starter.shadow())), readsWhole);
    const outcome = await starter.run({
      arguments: request.arguments,
      cwd: root,
      // git stops reading its input when the output suffices.
      ...(request.input === undefined ? {} : { onInput: (pipe) => void pipe.on('error', () => {}).end(request.input) }),
      onOutput(stream, chunk) {
        if (stream === 'stdout') {
          if (request.enough?.aborted !== true) request.onOutput(chunk);
        } else if (left > 0) {
          stderr.push(chunk.subarray(0, left));
          left -= chunk.length;
        }
      },
      onStart: watch.start,
      signal: AbortSignal.any([signal, unreadable.signal, ...(request.enough === undefined ? [] : [request.enough])]),
    });
    signal.throwIfAborted();
    unreadable.signal.throwIfAborted();
    if (outcome.exitCode === 0 || (request.fine !== undefined && outcome.exitCode === request.fine) || request.enough?.aborted === true) return;
    throw gitError(Buffer.concat(stderr).toString('utf8'), outcome.exitCode, request);
  }

  [Symbol.dispose](): void {
    this.#parts.held[Symbol.dispose]();
  }
}

function locationOf({ root, below }: Pick<RepositoryParts, 'root' | 'below'>): string {
  return below.length === 0 ? displayPath(root.location) : below.map(() => '..').join('/');
}

/** The names in a folder of a repository's data, up to a bound; empty if there is none. */
function filesOf(folder: PinnedDirectory, name: string): readonly string[] {
  try {
    using entries = opendirSync(folder.at(name));
    const names: string[] = [];
    for (let entry = entries.readSync(); entry !== null && names.length < MAX_NAMES; entry = entries.readSync()) names.push(entry.name);
    return names;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

function splitBytes(bytes: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const slash = bytes.indexOf(SLASH, start);
    const end = slash === -1 ? bytes.length : slash;
    names.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return names;
}

function pathArgument(path: WorkspacePath): string | undefined {
  if (path.length === 0) return undefined;
  const names = path.map((name) => {
    if (typeof name === 'string') return name;
    throw new SynapseError('encoding', `The name ${displayPath([name])} is not UTF-8, so git cannot be asked about it alone.`, {
      hint: 'Ask about the folder that it is in.',
    });
  });
  return names.join('/');
}

/** Whether a submodule's settings name this folder as its working tree. */
export function isOwnSubmodule(settings: readonly ConfigEntry[], gitFolder: string, root: string, realPath: (path: string) => string): boolean {
  const worktree = settings.findLast(({ scope, key }) => key === 'core.worktree' && (scope === 'local' || scope === 'worktree'))?.value;
  return worktree !== undefined && realPath(resolve(gitFolder, Buffer.from(worktree, 'latin1').toString('utf8'))) === root;
}
