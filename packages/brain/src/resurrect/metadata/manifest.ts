/** A value with its line number, from 1. */
export interface Fact {
  readonly value: string;
  readonly line: number;
}

/** A command from a manifest, such as `npm test`. */
export interface Command extends Fact {
  readonly purpose: CommandPurpose;
  /** The toolchain provides it for every project; the manifest does not mention it. */
  readonly isUsual?: boolean;
}
export type CommandPurpose = 'test' | 'start' | 'build' | 'check';

/** The facts in a manifest. */
export interface ManifestFacts {
  readonly name?: Fact | undefined;
  readonly version?: Fact | undefined;
  readonly description?: Fact | undefined;
  /** The required runtime or toolchain. */
  readonly engine?: Fact | undefined;
  readonly commands: readonly Command[];
  /** Programs to run and modules to import. */
  readonly entryPoints: readonly Fact[];
  /** Workspace members, as folders or globs. */
  readonly members: readonly Fact[];
  /** Runtime dependencies. */
  readonly dependencies: readonly Fact[];
  /** Development dependencies: tools for tests, types and builds. */
  readonly devDependencies?: readonly Fact[];
}

/**
 * Parses one kind of manifest. Pure; may throw on other content.
 * `siblings` are the files of the top folder: a lock file identifies the package manager.
 */
export type ParseManifest = (text: string, siblings: readonly string[]) => ManifestFacts | Promise<ManifestFacts>;

/** A manifest without facts, as a base. */
export const NO_FACTS: ManifestFacts = { commands: [], entryPoints: [], members: [], dependencies: [] };
