import { posix, win32 } from 'node:path';

/** The MCP clients whose configuration can be written. */
export const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini', 'opencode', 'zed'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** Whose configuration: that of one project, or that of the person. */
export type Scope = 'project' | 'user';

/** The command that a client starts. */
export interface ServerCommand {
  readonly command: string;
  readonly words: readonly string[];
}

/** Where things are on a machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** One way to write an entry. */
interface EntryShape {
  /** The objects around the entry, from the outside. */
  readonly keys: readonly string[];
  readonly entry: (server: ServerCommand) => Readonly<Record<string, unknown>>;
}

/** One place that a client reads its servers from. */
export interface ClientScope {
  /** The file by its folders; of several the first that exists, or else the first. Below the project, or absolute. */
  readonly files: (machine: Machine) => readonly string[];
  /** What a person has to do before the server runs. */
  readonly after: string;
}

/** How an MCP client is told of a server. Checked against each client's documentation in November 2026. */
export interface ClientDefinition {
  readonly title: string;
  /** `json` where the client refuses comments, so that a file with them is broken already. */
  readonly format: 'json' | 'jsonc' | 'toml';
  /** Of several the first whose keys are in the file, or else the last. */
  readonly shapes: readonly [EntryShape, ...EntryShape[]];
  readonly scopes: Partial<Record<Scope, ClientScope>>;
  /**
   * Whether a server that all projects share is started in the folder that the client has open. Where it is
   * not, its workspace has to be named.
   */
  readonly startsInProject: boolean;
  /** What the client replaces in a command before it runs it. */
  readonly expands?: RegExp;
}

function joined({ platform }: Machine, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** The folder of programs with windows: Electron's `appData`. */
function applicationData(machine: Machine): string {
  const { platform, home, environment } = machine;
  if (platform === 'darwin') return joined(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? joined(machine, home, 'AppData', 'Roaming');
  return xdgConfiguration(machine);
}

function xdgConfiguration(machine: Machine): string {
  return environmentFolder(machine, 'XDG_CONFIG_HOME') ?? joined(machine, machine.home, '.config');
}

/** A folder that a variable names; relative ones would mean another place each time. */
function environmentFolder({ platform, environment }: Machine, variable: string): string | undefined {
  const value = environment[variable];
  return value !== undefined && (platform === 'win32' ? win32 : posix).isAbsolute(value) ? value : undefined;
}

const stdio = ({ command, words }: ServerCommand): Record<string, unknown> => ({ type: 'stdio', command, args: words });
const plain = ({ command, words }: ServerCommand): Record<string, unknown> => ({ command, args: words });
const below =
  (...names: string[]) =>
  (machine: Machine): string[] => [joined(machine, ...names)];
const DOLLAR_BRACE = /\$\{/u;

/** Every client as data. */
export const CLIENT_TABLE: Readonly<Record<ClientName, ClientDefinition>> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    shapes: [{ keys: ['mcpServers'], entry: stdio }],
    scopes: {
      project: { files: below('.mcp.json'), after: 'Start Claude Code in this folder; it asks once whether the servers of .mcp.json may run.' },
      user: {
        files: (machine) => [joined(machine, environmentFolder(machine, 'CLAUDE_CONFIG_DIR') ?? machine.home, '.claude.json')],
        after: 'Start Claude Code again; /mcp shows the server.',
      },
    },
    startsInProject: true,
    expands: DOLLAR_BRACE,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    shapes: [{ keys: ['mcpServers'], entry: plain }],
    scopes: {
      user: {
        files: (machine) => [joined(machine, applicationData(machine), 'Claude', 'claude_desktop_config.json')],
        after: 'Quit Claude Desktop, not only its window, and start it again: it reads the file at its start and may write it at its end.',
      },
    },
    startsInProject: false,
  },
  cursor: {
    title: 'Cursor',
    format: 'jsonc',
    shapes: [{ keys: ['mcpServers'], entry: stdio }],
    scopes: {
      project: { files: below('.cursor', 'mcp.json'), after: 'Open the folder in Cursor and switch the server on in its settings, under MCP.' },
      user: {
        files: (machine) => [joined(machine, machine.home, '.cursor', 'mcp.json')],
        after: 'Start Cursor again and switch the server on in its settings, under MCP.',
      },
    },
    startsInProject: false,
    expands: DOLLAR_BRACE,
  },
  vscode: {
    title: 'VS Code',
    format: 'jsonc',
    shapes: [{ keys: ['servers'], entry: stdio }],
    scopes: {
      project: {
        files: below('.vscode', 'mcp.json'),
        after: 'Open the folder in VS Code and start the server with "MCP: List Servers"; VS Code asks whether you trust it.',
      },
      user: {
        files: (machine) => [joined(machine, applicationData(machine), 'Code', 'User', 'mcp.json')],
        after: 'Start the server in VS Code with "MCP: List Servers"; VS Code asks whether you trust it.',
      },
    },
    startsInProject: false,
    expands: DOLLAR_BRACE,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    shapes: [{ keys: ['mcp_servers'], entry: plain }],
    scopes: {
      project: {
        files: below('.codex', 'config.toml'),
        after: 'Start Codex in this folder; it reads the file only in a project that it was told to trust. /mcp shows the server.',
      },
      user: {
        files: (machine) => [joined(machine, environmentFolder(machine, 'CODEX_HOME') ?? joined(machine, machine.home, '.codex'), 'config.toml')],
        after: 'Start Codex again; /mcp shows the server.',
      },
    },
    startsInProject: true,
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'jsonc',
    shapes: [{ keys: ['mcpServers'], entry: plain }],
    scopes: {
      project: {
        files: below('.gemini', 'settings.json'),
        after: 'Start Gemini CLI in this folder; it reads the file only where it trusts the folder. /mcp shows the server.',
      },
      user: {
        files: (machine) => [joined(machine, environmentFolder(machine, 'GEMINI_CLI_HOME') ?? machine.home, '.gemini', 'settings.json')],
        after: 'Start Gemini CLI again; /mcp shows the server.',
      },
    },
    startsInProject: true,
    expands: /\$/u,
  },
  opencode: {
    title: 'opencode',
    format: 'jsonc',
    shapes: [
      // Version 2. It reads the older shape as well, which version 1 needs: so that is what new files get.
      { keys: ['mcp', 'servers'], entry: ({ command, words }) => ({ type: 'local', command: [command, ...words] }) },
      { keys: ['mcp'], entry: ({ command, words }) => ({ type: 'local', command: [command, ...words], enabled: true }) },
    ],
    scopes: {
      project: { files: () => ['opencode.json', 'opencode.jsonc'], after: 'Start opencode in this folder.' },
      user: {
        files: (machine) => ['opencode.json', 'opencode.jsonc'].map((name) => joined(machine, xdgConfiguration(machine), 'opencode', name)),
        after: 'Start opencode again.',
      },
    },
    startsInProject: true,
    expands: /\{(?:env|file):/u,
  },
  zed: {
    title: 'Zed',
    format: 'jsonc',
    shapes: [{ keys: ['context_servers'], entry: plain }],
    scopes: {
      project: {
        files: below('.zed', 'settings.json'),
        after: 'Open the folder in Zed; it starts servers of a project only where it trusts the folder.',
      },
      user: {
        files: (machine) => [
          machine.platform === 'win32'
            ? joined(machine, applicationData(machine), 'Zed', 'settings.json')
            : joined(machine, xdgConfiguration(machine), 'zed', 'settings.json'),
        ],
        after: 'Zed starts the server by itself; its agent settings show it.',
      },
    },
    startsInProject: true,
  },
};
