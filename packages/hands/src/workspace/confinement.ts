import type { BigIntStats, PathLike } from 'node:fs';
import type { Name } from './byte-name.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** A directory held open, so that no later rename or link can redirect its name. */
export interface PinnedDirectory extends Disposable {
  /** The real location of the directory, below the root. */
  readonly location: WorkspacePath;
  /** Returns a path to an entry that goes through the handle, never through the directory's name. */
  at(name: Name): PathLike;
  /** A path to the directory itself through the handle, for readdir and as a working directory. */
  readonly self: string;
  /** The handle, for a process that inherits it. Missing if folders are not held open. */
  readonly descriptor?: number;
  /** An entry that is a folder elsewhere. {@link at} and {@link child} know it; a walk from {@link self} does not. Default: none. */
  readonly standIn?: { readonly name: Name; readonly folder: string };
  /** Opens a direct subdirectory without following a link. */
  child(name: Name): PinnedDirectory;
}

/** A file, directory or other entry held by a handle that does not give access to its content. */
export interface PinnedEntry extends Disposable {
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;
  /** Opens the pinned entry for reading; only useful for a regular file. Returns a descriptor. */
  openForRead(): number;
}

/**
 * The only access to the disk. Every operation uses a handle whose location was checked after it
 * was opened. Checking a path and then using it again would be open to a swap in between.
 */
export interface Confinement extends Disposable {
  /** `handle` has no known race; `checked` re-checks names and is best effort. */
  readonly tier: 'handle' | 'checked';
  /** The root's real path. */
  readonly root: string;
  /** Whether the root folder still exists. */
  exists(): boolean;
  /** Opens a directory; follows links that stay inside. */
  openDirectory(path: WorkspacePath): PinnedDirectory;
  /** Pins an entry of any type; follows links that stay inside. */
  openEntry(path: WorkspacePath): PinnedEntry;
  /** Whether a place is outside the root folder, so that what is known of that says nothing about it. Default: no place does. */
  isApart?(path: WorkspacePath): boolean;
  /**
   * Where there are two versions of a folder: the one that {@link openDirectory} opens, or the one that has an entry; a link at the end
   * is not followed. Default: this.
   */
  sourceOf?(path: WorkspacePath, as: 'folder' | 'entry'): Confinement;
}
