import type { PathLike } from 'node:fs';
import type { Name } from './byte-name.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** Where the repository appears. In a linked worktree, this is a file that leads to it. */
const GIT = '.git';

/**
 * A linked worktree with its repository, which is outside, as its `.git`. For the changes of commands and their undo; file tools
 * do not see the repository.
 */
export class WithRepository implements Confinement {
  readonly tier: Confinement['tier'];
  readonly root: string;
  readonly #workspace: Confinement;
  readonly #repository: Confinement;

  /** @param workspace owned and disposed by the caller */
  constructor(workspace: Confinement, repository: Confinement) {
    this.tier = workspace.tier;
    this.root = workspace.root;
    this.#workspace = workspace;
    this.#repository = repository;
  }

  exists(): boolean {
    return this.#workspace.exists();
  }

  openDirectory(path: WorkspacePath): PinnedDirectory {
    const [first, ...below] = path;
    if (first === GIT) return new RepositoryFolder(this.#repository.openDirectory(below));
    const folder = this.#workspace.openDirectory(path);
    if (folder.location.length > 0) return folder;
    try {
      return new Root(folder, this.#repository.openDirectory([]));
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  }

  openEntry(path: WorkspacePath): PinnedEntry {
    const [first, ...below] = path;
    if (first !== GIT) return this.#workspace.openEntry(path);
    const entry = this.#repository.openEntry(below);
    return {
      location: [GIT, ...entry.location],
      stat: entry.stat,
      openForRead: () => entry.openForRead(),
      [Symbol.dispose]: () => entry[Symbol.dispose](),
    };
  }

  [Symbol.dispose](): void {
    this.#repository[Symbol.dispose]();
  }
}

/** A folder of the repository. */
class RepositoryFolder implements PinnedDirectory {
  readonly location: WorkspacePath;
  readonly descriptor?: number;
  readonly #folder: PinnedDirectory;

  constructor(folder: PinnedDirectory) {
    this.#folder = folder;
    this.location = [GIT, ...folder.location];
    if (folder.descriptor !== undefined) this.descriptor = folder.descriptor;
  }

  get self(): string {
    return this.#folder.self;
  }

  at(name: Name): PathLike {
    return this.#folder.at(name);
  }

  child(name: Name): PinnedDirectory {
    return new RepositoryFolder(this.#folder.child(name));
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** The top folder of the worktree. */
class Root implements PinnedDirectory {
  readonly location: WorkspacePath = [];
  readonly descriptor?: number;
  readonly #folder: PinnedDirectory;
  readonly #repository: PinnedDirectory;

  constructor(folder: PinnedDirectory, repository: PinnedDirectory) {
    this.#folder = folder;
    this.#repository = repository;
    if (folder.descriptor !== undefined) this.descriptor = folder.descriptor;
  }

  get self(): string {
    return this.#folder.self;
  }

  get standIn(): NonNullable<PinnedDirectory['standIn']> {
    return { name: GIT, folder: this.#repository.self };
  }

  at(name: Name): PathLike {
    return name === GIT ? this.#repository.self : this.#folder.at(name);
  }

  child(name: Name): PinnedDirectory {
    if (name === GIT) return new RepositoryFolder(this.#repository.child('.'));
    return name === '.' ? new Root(this.#folder.child('.'), this.#repository.child('.')) : this.#folder.child(name);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
    this.#repository[Symbol.dispose]();
  }
}
