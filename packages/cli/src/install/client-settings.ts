import { posix, win32 } from 'node:path';
import type { ClientName, Machine, Scope } from './clients.ts';

/** A setting in a client's file, next to the server's entry. */
export interface ClientSetting {
  readonly keys: readonly string[];
  readonly value: unknown;
  /** Items are added to an existing list; any other existing value is replaced. */
  readonly adds?: true;
  /** An existing value is kept. */
  readonly ifAbsent?: true;
}

/** Another file to write: client settings, or a text file. */
export type SettingsFile = {
  /** Relative to the project, or absolute. */
  readonly file: (machine: Machine) => string;
} & ({ readonly format: 'json' | 'jsonc'; readonly settings: readonly ClientSetting[] } | { readonly format: 'text'; readonly text: string });

/** How to turn off a client's own tools, so that only Synapse's can touch the machine. */
export interface OnlySettings {
  /** Additional fields of the server's entry. */
  readonly entry?: Readonly<Record<string, unknown>>;
  /** Settings in the file with the entry. */
  readonly settings?: readonly ClientSetting[];
  readonly files?: readonly SettingsFile[];
  /** What remains on, and what else to do; one sentence. */
  readonly left: string;
}

const join = ({ platform }: Machine, ...parts: string[]): string => (platform === 'win32' ? win32 : posix).join(...parts);
const below =
  (...names: string[]) =>
  (machine: Machine): string =>
    join(machine, ...names);
const inHome =
  (...names: string[]) =>
  (machine: Machine): string =>
    join(machine, machine.home, ...names);

/** Tools that read, write, run or fetch. Subagents and to-do lists stay: they use the agent's tools. */
const CLAUDE_TOOLS = [
  'Bash',
  'PowerShell',
  'Monitor',
  'LSP',
  'Edit',
  'Write',
  'NotebookEdit',
  'Read',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
  'EnterWorktree',
];
const CLAUDE_SETTINGS: readonly ClientSetting[] = [
  { keys: ['permissions', 'deny'], value: CLAUDE_TOOLS, adds: true },
  // Synapse asks by its own rules.
  { keys: ['permissions', 'allow'], value: ['mcp__synapse__*'], adds: true },
];
const CLAUDE_LEFT = 'Subagents stay, with the same tools. In a folder that Claude Code does not trust the denied tools are off too.';

const CODEX: OnlySettings = {
  // Without `required`, the first request may not include Synapse's tools. Synapse asks by its own rules.
  entry: { required: true, default_tools_approval_mode: 'approve' },
  settings: [
    { keys: ['web_search'], value: 'disabled' },
    { keys: ['sandbox_mode'], value: 'read-only' },
    { keys: ['features', 'shell_tool'], value: false },
    { keys: ['features', 'unified_exec'], value: false },
    { keys: ['agents', 'enabled'], value: false },
  ],
  left: 'Codex cannot turn apply_patch and view_image off; its read-only sandbox refuses what apply_patch would change.',
};

const GEMINI: OnlySettings = {
  // An allow-list: `exclude` would also remove Synapse's tools of the same name.
  settings: [{ keys: ['tools', 'core'], value: ['mcp_synapse_*'] }],
  left: 'All built-in tools are off. Settings of a project replace those of the user.',
};

/** Tools of Qwen Code that read, write, run or fetch. Subagents use the agent's tools. */
const QWEN_TOOLS = [
  'run_shell_command',
  'monitor',
  'edit',
  'write_file',
  'notebook_edit',
  'read_file',
  'zoom_image',
  'list_directory',
  'glob',
  'grep_search',
  'lsp',
  'web_fetch',
  'web_search',
  'enter_worktree',
  'exit_worktree',
  // The same as turning its tool search off: both only lead to tools that are listed already.
  'tool_search',
  'tool_call',
];
const QWEN: OnlySettings = {
  settings: [
    { keys: ['permissions', 'deny'], value: QWEN_TOOLS, adds: true },
    // Synapse asks by its own rules.
    { keys: ['permissions', 'allow'], value: ['mcp__synapse__*'], adds: true },
  ],
  left: 'Subagents, skills, plans and lists of tasks stay; subagents have the same tools.',
};

const CLINE_LEFT =
  "No file turns Cline's own tools off: its settings for automatic approval can hold them back, so that only Synapse's run without a question.";

const OPENCODE: OnlySettings = {
  settings: [{ keys: ['permission'], value: { '*': 'deny', 'synapse_*': 'allow' } }],
  left: 'All built-in tools are off. An agent file, or settings of a project, that allow a tool bring it back.',
};

const AGENT_FILE = `---
name: Synapse
description: Works through the tools of Synapse only.
tools: ['synapse/*']
agents: []
---

Use the tools of the MCP server synapse for everything: reading, searching, editing, running commands.
`;
const VSCODE_LEFT = 'Choose the agent Synapse in the chat: it has no other tools. The other agents of VS Code keep theirs, which no file turns off.';

const CURSOR_DENIED: readonly ClientSetting[] = [
  { keys: ['permissions', 'deny'], value: ['Shell(*)', 'Write(**)', 'Read(**)', 'WebFetch(*)'], adds: true },
];
const CURSOR_ALLOWED: ClientSetting = { keys: ['permissions', 'allow'], value: ['Mcp(synapse:*)'], adds: true };
const CURSOR_LEFT =
  "This is for Cursor's agent in the terminal. The editor's own tools cannot be turned off in a file: only in its settings, by a custom mode.";

const ZED_PROFILE: SettingsFile = {
  file: (machine) => {
    const { platform, environment, home } = machine;
    if (platform === 'win32') return join(machine, environment['APPDATA'] ?? join(machine, home, 'AppData', 'Roaming'), 'Zed', 'settings.json');
    const given = environment['XDG_CONFIG_HOME'];
    return join(machine, given !== undefined && posix.isAbsolute(given) ? given : join(machine, home, '.config'), 'zed', 'settings.json');
  },
  format: 'jsonc',
  settings: [
    { keys: ['agent', 'default_profile'], value: 'synapse' },
    { keys: ['agent', 'profiles', 'synapse'], value: { name: 'Synapse', tools: {}, enable_all_context_servers: true } },
  ],
};
const ZED_LEFT =
  'New threads use the profile Synapse, which has no built-in tools. Profiles are settings of the user, so it counts in all projects; agents that Zed starts over ACP have tools of their own.';

/** What `--only` writes, by client and scope. */
export const ONLY_TABLE: Readonly<Record<ClientName, Partial<Record<Scope, OnlySettings>>>> = {
  'claude-code': {
    project: {
      // Otherwise its tools are only found through a tool search.
      entry: { alwaysLoad: true },
      files: [
        {
          file: below('.claude', 'settings.json'),
          format: 'json',
          settings: [...CLAUDE_SETTINGS, { keys: ['enabledMcpjsonServers'], value: ['synapse'], adds: true }],
        },
      ],
      left: CLAUDE_LEFT,
    },
    user: {
      entry: { alwaysLoad: true },
      files: [
        {
          file: (machine) => {
            const folder = machine.environment['CLAUDE_CONFIG_DIR'];
            return folder !== undefined && posix.isAbsolute(folder)
              ? join(machine, folder, 'settings.json')
              : inHome('.claude', 'settings.json')(machine);
          },
          format: 'json',
          settings: CLAUDE_SETTINGS,
        },
      ],
      left: CLAUDE_LEFT,
    },
  },
  'claude-desktop': { user: { left: 'Claude Desktop has no shell and no tools for files of its own; its extensions and connectors stay.' } },
  cursor: {
    project: {
      files: [{ file: below('.cursor', 'cli.json'), format: 'json', settings: [...CURSOR_DENIED, CURSOR_ALLOWED] }],
      left: CURSOR_LEFT,
    },
    user: {
      files: [
        {
          file: inHome('.cursor', 'cli-config.json'),
          format: 'json',
          // Both fields are required.
          settings: [
            { keys: ['version'], value: 1, ifAbsent: true },
            { keys: ['editor'], value: { vimMode: false }, ifAbsent: true },
            ...CURSOR_DENIED,
            CURSOR_ALLOWED,
          ],
        },
      ],
      left: CURSOR_LEFT,
    },
  },
  vscode: {
    project: { files: [{ file: below('.github', 'agents', 'synapse.agent.md'), format: 'text', text: AGENT_FILE }], left: VSCODE_LEFT },
    user: { files: [{ file: inHome('.copilot', 'agents', 'synapse.agent.md'), format: 'text', text: AGENT_FILE }], left: VSCODE_LEFT },
  },
  codex: { project: CODEX, user: CODEX },
  gemini: { project: GEMINI, user: GEMINI },
  opencode: { project: OPENCODE, user: OPENCODE },
  zed: {
    project: { files: [ZED_PROFILE], left: ZED_LEFT },
    user: { settings: ZED_PROFILE.settings, left: ZED_LEFT },
  },
  cline: { user: { left: CLINE_LEFT } },
  qwen: { project: QWEN, user: QWEN },
};

/** Settings next to every entry, by client. opencode would add this one itself, and the file would no longer be as installed. */
export const BESIDE_ENTRY: Partial<Readonly<Record<ClientName, readonly ClientSetting[]>>> = {
  opencode: [{ keys: ['$schema'], value: 'https://opencode.ai/config.json', ifAbsent: true }],
};

/** Additional settings for an HTTP entry, by client: VS Code asks for the token. */
export const REMOTE_SETTINGS: Partial<Readonly<Record<ClientName, readonly ClientSetting[]>>> = {
  vscode: [
    {
      keys: ['inputs'],
      value: [{ type: 'promptString', id: 'synapse-token', description: 'Bearer token of synapse mcp --http', password: true }],
      adds: true,
    },
  ],
};
