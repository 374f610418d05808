import type { Processes } from '../process/processes.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import type { KeptOptions } from './layers/kept-layers.ts';
import type { HomeFile } from './run-files.ts';
import type { OutputSource } from './view/output-source.ts';
import type { SandboxSupportOptions } from './sandbox-support.ts';

/** Where build output of earlier commands is kept. */
export interface KeptOutputs {
  /** Whether there is any. */
  readonly exist: () => boolean;
  /** Loaded with the first command that sees any. */
  readonly source: () => Promise<OutputSource>;
}

/** The folders that calls took away. Paths are relative to the workspace; each character stands for one byte (latin1). */
export interface FolderHistory {
  readonly hadFolder: (path: string) => boolean;
  readonly tookFolders: (paths: Iterable<string>) => void;
}

/** Options of a sandbox. */
export interface SandboxOptions extends SandboxSupportOptions {
  /** Starts `bwrap`, and so limits, marks and ends it. */
  readonly processes: Processes;
  readonly confinement: Confinement;
  /** Folder for dangerous leftovers, outside the workspace. */
  readonly quarantineFolder: string;
  /** Files in the home folder of commands. Default: none. */
  readonly homeFiles?: () => Promise<readonly HomeFile[]>;
  /** Folder for what commands write to package caches while they run, outside the workspace. Default: caches are read-only. */
  readonly layersFolder?: string;
  /** Folder for the private folders of commands that run without namespaces. Default: that of the system for temporary files. */
  readonly runsFolder?: string;
  /** Where the project keeps what commands wrote to caches. Default: it is deleted when they end. */
  readonly keptCaches?: KeptOptions;
  /** Build output of earlier commands, for commands on the workspace itself. Default: they see the workspace as it is. */
  readonly keptOutputs?: KeptOutputs;
  /** The index of the workspace's folders. Default: a private index. */
  readonly folders?: FolderIndex;
  /** What is known of folders that calls took away, and learned from commands on the workspace itself. Default: nothing. */
  readonly history?: FolderHistory;
  /** Other names of the workspace, in addition to its real path. Default: none. */
  readonly rootNames?: readonly string[];
}
