import { firstPaths } from '../../text/amounts.ts';
import type { PinnedDirectory } from '../../workspace/confinement.ts';

/** A folder of build output with what earlier commands wrote above it. */
export interface AppliedOutput {
  /** Relative to the workspace. */
  readonly path: string;
  /** What commands wrote, as a layer above the folder. */
  readonly layer: string;
  /** The folder, held open: a command that runs can put a link in its place. Disposed by the receiver. */
  readonly below: PinnedDirectory;
}

/** Build output of earlier commands that is kept apart from the workspace. */
export interface OutputSource {
  /** The folders to show to a command on the workspace itself. */
  readonly open: (signal: AbortSignal) => Promise<readonly AppliedOutput[]>;
  /**
   * Keeps what that command wrote above them for later commands.
   *
   * @param above a folder for the merge, which is removed afterwards
   * @returns what the result says: what was not kept, and why
   */
  readonly keep: (
    written: ReadonlyArray<{ readonly path: string; readonly upper: string }>,
    above: string,
    command: string,
  ) => Promise<readonly string[]>;
}

/** What the result of a command on the workspace itself says about build output that is kept apart. */
export function outputsNote(shown: ReadonlyArray<{ readonly path: string }>): string {
  if (shown.length === 0)
    return 'It does not see the build output that earlier commands wrote: that is kept apart from the folder. synapse changes pending lists it, and a person applies it.';
  const named = firstPaths(shown.map(({ path }) => path));
  return `It sees the build output that earlier commands wrote (${named}). What it writes there is kept apart as well. If later commands build there, or a person applies or drops it, restart this one.`;
}
