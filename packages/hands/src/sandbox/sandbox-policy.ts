import type { ResourceLimits } from './resource-limits.ts';

/** What commands may reach: nothing, everything, or names of hosts (`example.com`, `*.example.com`) by a filtering proxy. */
export type NetworkPolicy = 'off' | 'on' | { readonly domains: readonly string[] };

/** What a sandbox allows, as whoever opens the hands says it. Nothing here needs to exist. */
export interface SandboxPolicy {
  /** Whether the workspace may be changed. Default `write`. */
  readonly workspace?: 'read' | 'write';
  /** Further folders that may be changed, by absolute path. Default: none. */
  readonly writable?: readonly string[];
  /**
   * What of the home folder may be read, by path below it. Everything else there is hidden.
   * Default: {@link TOOL_CHAINS}.
   */
  readonly home?: readonly string[];
  /** Further places to show, by absolute path, where they lie in what is hidden otherwise. Default: none. */
  readonly readable?: readonly string[];
  /** Further places to hide, by absolute path, such as the state folder. Default: none. */
  readonly hidden?: readonly string[];
  /**
   * Whether reading a place of the workspace is denied; the path is relative, with `/`. Asked when a folder is first
   * seen or has changed. Default: nothing is denied.
   */
  readonly deniesRead?: (path: string) => boolean;
  /**
   * Whether changing a place of the workspace is denied. What is there is mounted read-only, what a command makes at such a
   * place is taken away after it. Default: nothing is.
   */
  readonly deniesWrite?: ((path: string) => boolean) | undefined;
  /** Whether what is denied below a place is so by its place, so that links to folders must be looked behind. Default: always. */
  readonly mayDenyBelow?: (path: string) => boolean;
  /** Whether the person permitted commands to change what git, editors, agents and shells execute. Default: no. */
  readonly allowProtected?: boolean;
  /** Default `off`. */
  readonly network?: NetworkPolicy;
  readonly limits?: Partial<ResourceLimits>;
}

/** Where tool chains live in a home folder; none of these holds credentials. */
export const TOOL_CHAINS: readonly string[] = [
  '.nvm',
  '.fnm',
  '.volta',
  '.local/bin',
  '.local/share/fnm',
  '.local/share/mise',
  '.asdf',
  '.cargo/bin',
  '.cargo/registry',
  '.rustup',
  '.pyenv',
  '.rbenv',
  '.sdkman',
  '.bun/bin',
  '.deno/bin',
  '.dotnet',
  'go',
];
