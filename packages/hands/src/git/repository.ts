import { resolve } from 'node:path';
import { SynapseError, type SandboxTier } from '@synapse/protocol';
import { displayText, displayPath, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ConfigEntry } from './git-config.ts';
import { gitError, type Subject } from './git-error.ts';
import { readSmallFile, type GitFolders } from './git-folder.ts';
import { filtersLeftOut, isPartialClone, remoteNames } from './safe-config.ts';
import type { GitStarter } from './start-git.ts';
import { findRepository } from './repository-place.ts';

/** Of what git complains, in bytes; it is only matched against known messages. */
const MAX_STDERR_BYTES = 16 * 1024;
/** One line per commit at which a shallow clone ends, in bytes. */
const MAX_SHALLOW_BYTES = 4 * 1024 * 1024;
/** A file of more bytes is no list of submodules. */
const MAX_SUBMODULES_BYTES = 1024 * 1024;
/** A repository may name any number of filters. */
const MAX_FILTERS_NAMED = 5;
const SLASH = 0x2f;

/** What to run in a repository. */
export interface GitRequest extends Subject {
  /** The subcommand and what follows; made by a builder that keeps values from being options. */
  readonly arguments: readonly string[];
  /** Takes the output as it comes. */
  readonly onOutput: (chunk: Buffer) => void;
  /** An exit code beside 0 that is an answer and no failure. */
  readonly fine?: number;
  /** Aborted by whoever has seen enough: git is ended, and the run counts as done. */
  readonly enough?: AbortSignal;
}

/** What a repository is made of. */
export interface RepositoryParts {
  readonly workspace: Workspace;
  readonly starter: GitStarter;
  readonly signal: AbortSignal;
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  readonly path: WorkspacePath;
  readonly settings: readonly ConfigEntry[];
  /** All that is held for it, let go of with it. */
  readonly held: Disposable;
}

/** An open repository. git runs in it on the repository's data and on settings that run no program. */
export class Repository implements Disposable {
  readonly #parts: RepositoryParts;

  constructor(parts: RepositoryParts) {
    this.#parts = parts;
  }

  /** The top of the working tree, from the workspace root; `.` for the workspace itself. */
  get location(): string {
    return displayPath(this.#parts.root.location);
  }

  /** HEAD, the index and the marks of a merge or rebase. */
  get ownFolder(): PinnedDirectory {
    return this.#parts.folders.own;
  }

  /** Under which confinement git works on it; known for sure once it ran. */
  get sandbox(): SandboxTier {
    return this.#parts.starter.sandbox;
  }

  get remotes(): readonly string[] {
    return remoteNames(this.#parts.settings);
  }

  /** What is to be said beside an answer about the working tree: filters are programs and were not run, nor was git in submodules. */
  get caveat(): string | undefined {
    const names = filtersLeftOut(this.#parts.settings).map((name) => displayText(Buffer.from(name, 'latin1').toString('utf8')));
    const shown = names.slice(0, MAX_FILTERS_NAMED).join(', ');
    const hasSubmodules = readSmallFile(this.#parts.root, '.gitmodules', MAX_SUBMODULES_BYTES) !== undefined;
    const caveats = [
      ...(names.length === 0 ? [] : [`Content filters of this repository were not run (${shown}); files that they rewrite may look changed.`]),
      ...(hasSubmodules ? ['Of submodules only new commits show; for files that are changed in one, ask with its folder as path.'] : []),
    ];
    return caveats.length === 0 ? undefined : caveats.join(' ');
  }

  get isPartial(): boolean {
    return isPartialClone(this.#parts.settings);
  }

  /** The commits at which a shallow clone ends: their parents are not here. Empty for a whole one. */
  get shallowCommits(): ReadonlySet<string> {
    const file = readSmallFile(this.#parts.folders.common, 'shallow', MAX_SHALLOW_BYTES);
    return new Set(
      file
        ?.toString('latin1')
        .split('\n')
        .filter((line) => line !== ''),
    );
  }

  /** The path the repository was opened for, as an argument for git; undefined for the whole of it. */
  get path(): string | undefined {
    return pathArgument(this.#parts.path);
  }

  /** Another path as an argument; it must belong to this repository. */
  pathOf(path: string): string | undefined {
    const place = findRepository(this.#parts.workspace, path);
    using _folders = place.folders;
    using root = place.root;
    if (displayPath(root.location) !== this.location) {
      throw new SynapseError('invalid_arguments', `${displayPath([...root.location, ...place.path])} belongs to another repository.`, {
        hint: 'Ask about one repository at a time.',
      });
    }
    return pathArgument(place.path);
  }

  /** A path that git gave, from the workspace root, as any tool takes it. */
  display(bytes: Buffer): string {
    const names: WorkspacePath = splitBytes(bytes).map(nameFromBytes);
    // A folder that is untracked as a whole ends in a slash.
    return displayPath([...this.#parts.root.location, ...names]) + (bytes.at(-1) === SLASH ? '/' : '');
  }

  /**
   * Runs git in the top of the working tree.
   * @throws SynapseError the reason of the call's signal once that is aborted; else what git's failure means
   */
  async run(request: GitRequest): Promise<void> {
    const { root, starter, signal } = this.#parts;
    const stderr: Buffer[] = [];
    let left = MAX_STDERR_BYTES;
    const outcome = await starter.run({
      arguments: request.arguments,
      cwd: root,
      onOutput(stream, chunk) {
        if (stream === 'stdout') {
          if (request.enough?.aborted !== true) request.onOutput(chunk);
        } else if (left > 0) {
          stderr.push(chunk.subarray(0, left));
          left -= chunk.length;
        }
      },
      signal: request.enough === undefined ? signal : AbortSignal.any([signal, request.enough]),
    });
    signal.throwIfAborted();
    if (outcome.exitCode === 0 || (request.fine !== undefined && outcome.exitCode === request.fine) || request.enough?.aborted === true) return;
    throw gitError(Buffer.concat(stderr).toString('utf8'), outcome.exitCode, request);
  }

  [Symbol.dispose](): void {
    this.#parts.held[Symbol.dispose]();
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
      hint: 'Ask about the folder that it lies in.',
    });
  });
  return names.join('/');
}

/** Whether a submodule's own settings say that its working tree is this folder. */
export function isOwnSubmodule(settings: readonly ConfigEntry[], gitFolder: string, root: string, realPath: (path: string) => string): boolean {
  const worktree = settings.findLast(({ scope, key }) => key === 'core.worktree' && (scope === 'local' || scope === 'worktree'))?.value;
  return worktree !== undefined && realPath(resolve(gitFolder, Buffer.from(worktree, 'latin1').toString('utf8'))) === root;
}
