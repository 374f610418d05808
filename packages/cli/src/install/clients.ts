import { posix, win32 } from 'node:path';

/** MCP clients that can be configured. */
export const CLIENTS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini', 'opencode', 'zed', 'cline', 'qwen'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** The scope of a configuration: one project, or the user. */
export type Scope = 'project' | 'user';

/** The command that a client starts. */
export interface ServerCommand {
  readonly command: string;
  readonly words: readonly string[];
}

/** The URL that a client connects to. Its bearer token is in a variable or asked for, never in a configuration file. */
export interface ServerAddress {
  readonly url: string;
}

/** The name of an environment variable, such as `SYNAPSE_MCP_TOKEN`. */
export const TOKEN_VARIABLE = 'SYNAPSE_MCP_TOKEN';

/** Folders of a machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** A format of an entry. */
interface EntryShape {
  /** The keys of the objects around the entry, outermost first. */
  readonly keys: readonly string[];
  readonly entry: (server: ServerCommand) => Readonly<Record<string, unknown>>;
  /** Undefined if the client can only send a token that is stored in the file. */
  readonly remote?: (server: ServerAddress) => Readonly<Record<string, unknown>>;
}

/** A file that a client reads its servers from. */
export interface ClientScope {
  /** Candidate paths: the first existing one is used, else the first. Relative to the project, or absolute. */
  readonly files: (machine: Machine) => readonly string[];
  /** What a person has to do before the server can run. */
  readonly after: string;
}

/** How to configure an MCP client. Checked against each client's documentation in November 2026. */
export interface ClientDefinition {
  readonly title: string;
  /** `json` if the client does not support comments: a file with comments is invalid already. */
  readonly format: 'json' | 'jsonc' | 'toml';
  /** Of several formats, the first whose keys are in the file, else the last. */
  readonly shapes: readonly [EntryShape, ...EntryShape[]];
  readonly scopes: Partial<Record<Scope, ClientScope>>;
  /**
   * Whether a user-level server learns which folder the client has open, either because it is started there or by asking for
   * the roots. Otherwise the entry has to name the workspace.
   */
  readonly tellsFolder: boolean;
  /** Whether the client asks the user for the token of a URL, and stores it. */
  readonly asksForToken?: true;
  /** Placeholders that the client replaces in a command. */
  readonly expands?: RegExp;
}

function joined({ platform }: Machine, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** The folder for application data of desktop programs: Electron's `appData`. */
function applicationData(machine: Machine): string {
  const { platform, home, environment } = machine;
  if (platform === 'darwin') return joined(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? joined(machine, home, 'AppData', 'Roaming');
  return xdgConfiguration(machine);
}

function xdgConfiguration(machine: Machine): string {
  return environmentFolder(machine, 'XDG_CONFIG_HOME') ?? joined(machine, machine.home, '.config');
}

/** A folder in an environment variable. Relative paths are ignored: they would change with the working directory. */
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
/** The header with the token, in the client's syntax for a value that is resolved when it is sent. */
const bearing = (token: string): { headers: Record<string, string> } => ({ headers: { Authorization: `Bearer ${token}` } });

/** The prompt with which VS Code asks for the token once. */
export const TOKEN_INPUT = 'synapse-token';
/** Codex passes few variables to servers. Without these, the state folder would be a different one. */
const codexEntry = (server: ServerCommand): Record<string, unknown> => ({ ...plain(server), env_vars: ['XDG_STATE_HOME', 'XDG_CONFIG_HOME'] });
const opencodeRemote = ({ url }: ServerAddress): Record<string, unknown> => ({ type: 'remote', url, ...bearing(`{env:${TOKEN_VARIABLE}}`) });

/** The file of Cline's programs, as they look for it. */
function clineFiles(machine: Machine): string[] {
  const own = environmentFolder(machine, 'CLINE_MCP_SETTINGS_PATH');
  if (own !== undefined) return [own];
  const folder = environmentFolder(machine, 'CLINE_DIR') ?? joined(machine, machine.home, '.cline');
  const extension = ['Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev'];
  return [
    joined(machine, environmentFolder(machine, 'CLINE_DATA_DIR') ?? joined(machine, folder, 'data'), 'settings', 'cline_mcp_settings.json'),
    // Earlier versions of the extension for VS Code.
    joined(machine, applicationData(machine), ...extension, 'settings', 'cline_mcp_settings.json'),
  ];
}

/** Otherwise Qwen Code hides the tools behind a search. */
const QWEN_LISTED = { alwaysLoadTools: true } as const;
const qwenEntry = (server: ServerCommand): Record<string, unknown> => ({ ...plain(server), ...QWEN_LISTED });

/** All clients. */
export const CLIENT_TABLE: Readonly<Record<ClientName, ClientDefinition>> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    shapes: [{ keys: ['mcpServers'], entry: stdio, remote: ({ url }) => ({ type: 'http', url, ...bearing(`\${${TOKEN_VARIABLE}}`) }) }],
    scopes: {
      project: { files: below('.mcp.json'), after: 'Start Claude Code in this folder; it asks once whether the servers of .mcp.json may run.' },
      user: {
        files: (machine) => [joined(machine, environmentFolder(machine, 'CLAUDE_CONFIG_DIR') ?? machine.home, '.claude.json')],
        after: 'Start Claude Code again; /mcp shows the server.',
      },
    },
    tellsFolder: true,
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
    tellsFolder: false,
  },
  cursor: {
    title: 'Cursor',
    format: 'jsonc',
    shapes: [{ keys: ['mcpServers'], entry: stdio, remote: ({ url }) => ({ url, ...bearing(`\${env:${TOKEN_VARIABLE}}`) }) }],
    scopes: {
      project: { files: below('.cursor', 'mcp.json'), after: 'Open the folder in Cursor and switch the server on in its settings, under MCP.' },
      user: {
        files: (machine) => [joined(machine, machine.home, '.cursor', 'mcp.json')],
        after: 'Start Cursor again and switch the server on in its settings, under MCP.',
      },
    },
    tellsFolder: true,
    expands: DOLLAR_BRACE,
  },
  vscode: {
    title: 'VS Code',
    format: 'jsonc',
    shapes: [{ keys: ['servers'], entry: stdio, remote: ({ url }) => ({ type: 'http', url, ...bearing(`\${input:${TOKEN_INPUT}}`) }) }],
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
    tellsFolder: true,
    asksForToken: true,
    expands: DOLLAR_BRACE,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    shapes: [{ keys: ['mcp_servers'], entry: codexEntry, remote: ({ url }) => ({ url, bearer_token_env_var: TOKEN_VARIABLE }) }],
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
    tellsFolder: true,
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'jsonc',
    shapes: [{ keys: ['mcpServers'], entry: plain, remote: ({ url }) => ({ httpUrl: url, ...bearing(`$${TOKEN_VARIABLE}`) }) }],
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
    tellsFolder: true,
    expands: /\$/u,
  },
  opencode: {
    title: 'opencode',
    format: 'jsonc',
    shapes: [
      // Version 2. It also reads the older format, which version 1 needs, so new files use that.
      { keys: ['mcp', 'servers'], entry: ({ command, words }) => ({ type: 'local', command: [command, ...words] }), remote: opencodeRemote },
      { keys: ['mcp'], entry: ({ command, words }) => ({ type: 'local', command: [command, ...words], enabled: true }), remote: opencodeRemote },
    ],
    scopes: {
      project: { files: () => ['opencode.json', 'opencode.jsonc'], after: 'Start opencode in this folder.' },
      user: {
        files: (machine) => ['opencode.json', 'opencode.jsonc'].map((name) => joined(machine, xdgConfiguration(machine), 'opencode', name)),
        after: 'Start opencode again.',
      },
    },
    tellsFolder: true,
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
    tellsFolder: true,
  },
  cline: {
    title: 'Cline',
    format: 'json',
    shapes: [{ keys: ['mcpServers'], entry: stdio }],
    scopes: {
      user: {
        files: clineFiles,
        after: "Start Cline again; `cline mcp` and the extension's list of MCP servers show it.",
      },
    },
    // Its extension starts servers elsewhere, and it reports no roots.
    tellsFolder: false,
  },
  qwen: {
    title: 'Qwen Code',
    format: 'jsonc',
    shapes: [{ keys: ['mcpServers'], entry: qwenEntry, remote: ({ url }) => ({ httpUrl: url, ...bearing(`$${TOKEN_VARIABLE}`), ...QWEN_LISTED }) }],
    scopes: {
      project: {
        files: below('.qwen', 'settings.json'),
        after: 'Start Qwen Code in this folder; it reads the file only where it trusts the folder. /mcp shows the server.',
      },
      user: {
        files: (machine) => [joined(machine, environmentFolder(machine, 'QWEN_HOME') ?? joined(machine, machine.home, '.qwen'), 'settings.json')],
        after: 'Start Qwen Code again; /mcp shows the server.',
      },
    },
    tellsFolder: true,
    expands: /\$/u,
  },
};
