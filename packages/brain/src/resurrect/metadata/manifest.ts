/** A value with the line it stands on, from 1. */
export interface Fact {
  readonly value: string;
  readonly line: number;
}

/** A command that a manifest offers, such as `npm test`. */
export interface Command extends Fact {
  readonly purpose: CommandPurpose;
}
export type CommandPurpose = 'test' | 'start' | 'build' | 'check';

/** What a manifest tells of its project. */
export interface ManifestFacts {
  readonly name?: Fact | undefined;
  readonly version?: Fact | undefined;
  readonly description?: Fact | undefined;
  /** The runtime or toolchain it asks for. */
  readonly engine?: Fact | undefined;
  readonly commands: readonly Command[];
  /** Programs and modules that others start or import. */
  readonly entryPoints: readonly Fact[];
  /** Members of a workspace, as folders or globs. */
  readonly members: readonly Fact[];
  readonly dependencies: readonly Fact[];
}

/**
 * Reads one kind of manifest. Pure; may throw on what is not of its kind.
 * `siblings` are the files of the top folder: a lock file tells which package manager is used.
 */
export type ParseManifest = (text: string, siblings: readonly string[]) => ManifestFacts | Promise<ManifestFacts>;

/** A manifest without facts, to build on. */
export const NO_FACTS: ManifestFacts = { commands: [], entryPoints: [], members: [], dependencies: [] };
