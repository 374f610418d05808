import type { RunMode } from '../modes/run-modes.ts';
import type { ResourceLimits } from './resource-limits.ts';

/**
 * The hosts that commands may reach: none, all, or named ones (`example.com`, `*.example.com`, `registry.example.com:8081`) through a
 * filtering proxy. `packages`: the registries of the package managers that the project uses.
 */
export type NetworkPolicy = 'off' | 'on' | 'packages' | { readonly domains: readonly string[]; readonly packages?: boolean };

/** The permissions of a sandbox, from the options of the hands. Paths need not exist. */
export interface SandboxPolicy {
  /** How programs run whose request names no mode. Default: `live`. */
  readonly mode?: RunMode;
  /** Additional writable folders, as absolute paths. Default: none. */
  readonly writable?: readonly string[];
  /**
   * Readable paths in the home folder, relative to it. The rest of the home folder is hidden.
   * Default: {@link TOOL_CHAINS}.
   */
  readonly home?: readonly string[];
  /** Additional read-only paths, absolute. Paths that contain too much, such as `/` or the home folder, are ignored. Default: none. */
  readonly readable?: readonly string[];
  /** Like `readable`, except for what {@link deniesRead} denies there, by absolute path. Default: none. */
  readonly judged?: readonly string[];
  /** Additional hidden paths, absolute, such as the state folder. Default: none. */
  readonly hidden?: readonly string[];
  /**
   * Whether a rule denies reading a path of the workspace; relative, with `/`. Called when a folder is first
   * seen or has changed. Default: nothing is denied.
   */
  readonly deniesRead?: (path: string) => boolean;
  /**
   * Whether {@link deniesRead} denies nothing that is directly in a folder of the workspace and has a usual name, see `hasUsualNames`. Default:
   * it may.
   */
  readonly readsUsualNames?: (folder: string) => boolean;
  /**
   * Whether a rule of a person denies reading a path, absolute or relative to the workspace. Hides parts of the repository outside, of
   * which the workspace is a linked worktree. Default: no rule does.
   */
  readonly deniesReadByRule?: ((path: string) => boolean) | undefined;
  /**
   * Whether {@link deniesRead} says so only for the name of the file. A command on a copy sees such a file if it is as git's index has it.
   * Default: never.
   */
  readonly hidesByName?: (path: string) => boolean;
  /**
   * Whether a rule denies changing a path of the workspace. An existing path is mounted read-only. A path that a command
   * creates is moved to the quarantine after the command. Default: nothing is denied.
   */
  readonly deniesWrite?: ((path: string) => boolean) | undefined;
  /** Whether paths below a folder are denied by path, so that links to folders must be followed. Default: always. */
  readonly mayDenyBelow?: (path: string) => boolean;
  /** Programs that commands cannot start, as names or absolute paths. Default: none. */
  readonly deniedPrograms?: readonly string[];
  /** Whether commands may change what git, editors, agents and shells execute. Default: false. */
  readonly allowProtected?: boolean;
  /** Default: `off`. */
  readonly network?: NetworkPolicy;
  readonly limits?: Partial<ResourceLimits>;
}

/** Folders of tool chains in a home folder, none of which contains credentials. The folders in PATH are shown in addition. */
export const TOOL_CHAINS: readonly string[] = [
  '.nvm',
  '.fnm',
  '.volta',
  '.local/bin',
  '.local/lib',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.local/share/pipx',
  '.asdf',
  '.cargo/bin',
  '.rustup',
  '.pyenv',
  '.rbenv',
  '.sdkman',
  '.bun/bin',
  '.deno/bin',
  '.dotnet',
  '.ghcup',
  '.juliaup',
  'go/bin',
];
