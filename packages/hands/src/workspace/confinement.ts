import type { BigIntStats, PathLike } from 'node:fs';
import type { Name } from './byte-name.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** A directory held open, so that no later rename or link can turn its name into another place. */
export interface PinnedDirectory extends Disposable {
  /** Where the directory really is, below the root. */
  readonly location: WorkspacePath;
  /** A path to an entry that goes through the handle, never through the directory's name. */
  at(name: Name): PathLike;
  /** A path to the directory itself through the handle, for readdir and as a working directory. */
  readonly self: string;
  /** The handle itself, for a process that is to inherit it. Absent where folders are not held open. */
  readonly descriptor?: number;
  /** Opens a directory directly below without following a link. */
  child(name: Name): PinnedDirectory;
}

/** A file, directory or other entry held by a handle that grants no access by itself. */
export interface PinnedEntry extends Disposable {
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;
  /** Opens the pinned entry for reading; only sensible for a regular file. Returns a descriptor. */
  openForRead(): number;
}

/**
 * The one way to the disk. Every operation goes through a handle whose place was checked after it
 * was opened: checking a path string and using the string again loses against a swap in between.
 */
export interface Confinement extends Disposable {
  /** `handle` has no known race; `checked` re-checks names and is best effort. */
  readonly tier: 'handle' | 'checked';
  /** The root's real path. */
  readonly root: string;
  /** Whether the root folder still exists. */
  exists(): boolean;
  /** Opens a directory; links on the way are followed where they stay inside. */
  openDirectory(path: WorkspacePath): PinnedDirectory;
  /** Pins whatever the path names; links are followed where they stay inside. */
  openEntry(path: WorkspacePath): PinnedEntry;
}
