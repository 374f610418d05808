import { describe, expect, it } from 'vitest';
import { CLIENT_TABLE, CLIENTS, type ClientName, type Machine, type Scope } from './clients.ts';

const LINUX: Machine = { platform: 'linux', home: '/home/ada', environment: {} };
const MAC: Machine = { platform: 'darwin', home: '/Users/ada', environment: {} };
const WINDOWS: Machine = { platform: 'win32', home: 'C:\\Users\\ada', environment: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' } };

const files = (name: ClientName, scope: Scope, machine: Machine): readonly string[] | undefined =>
  CLIENT_TABLE[name].scopes[scope]?.files(machine).map((file) => file.replace(machine.home, '~'));

describe('the files of clients', () => {
  it.each<[ClientName, string[] | undefined, string[], string[], string[]]>([
    ['claude-code', ['.mcp.json'], ['~/.claude.json'], ['~/.claude.json'], ['~\\.claude.json']],
    [
      'claude-desktop',
      undefined,
      ['~/.config/Claude/claude_desktop_config.json'],
      ['~/Library/Application Support/Claude/claude_desktop_config.json'],
      ['~\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
    ],
    ['cursor', ['.cursor/mcp.json'], ['~/.cursor/mcp.json'], ['~/.cursor/mcp.json'], ['~\\.cursor\\mcp.json']],
    [
      'vscode',
      ['.vscode/mcp.json'],
      ['~/.config/Code/User/mcp.json'],
      ['~/Library/Application Support/Code/User/mcp.json'],
      ['~\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ],
    ['codex', ['.codex/config.toml'], ['~/.codex/config.toml'], ['~/.codex/config.toml'], ['~\\.codex\\config.toml']],
    ['gemini', ['.gemini/settings.json'], ['~/.gemini/settings.json'], ['~/.gemini/settings.json'], ['~\\.gemini\\settings.json']],
    [
      'opencode',
      ['opencode.json', 'opencode.jsonc'],
      ['~/.config/opencode/opencode.json', '~/.config/opencode/opencode.jsonc'],
      ['~/.config/opencode/opencode.json', '~/.config/opencode/opencode.jsonc'],
      ['~\\.config\\opencode\\opencode.json', '~\\.config\\opencode\\opencode.jsonc'],
    ],
    [
      'cline',
      undefined,
      ['~/.cline/data/settings/cline_mcp_settings.json', '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'],
      [
        '~/.cline/data/settings/cline_mcp_settings.json',
        '~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      ],
      [
        '~\\.cline\\data\\settings\\cline_mcp_settings.json',
        '~\\AppData\\Roaming\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json',
      ],
    ],
    ['qwen', ['.qwen/settings.json'], ['~/.qwen/settings.json'], ['~/.qwen/settings.json'], ['~\\.qwen\\settings.json']],
    ['zed', ['.zed/settings.json'], ['~/.config/zed/settings.json'], ['~/.config/zed/settings.json'], ['~\\AppData\\Roaming\\Zed\\settings.json']],
  ])('%s', (name, project, linux, mac, windows) => {
    expect({
      project: files(name, 'project', LINUX),
      linux: files(name, 'user', LINUX),
      mac: files(name, 'user', MAC),
      windows: files(name, 'user', WINDOWS),
    }).toEqual({ project, linux, mac, windows });
  });

  it.each<[ClientName, NodeJS.ProcessEnv, string]>([
    ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
    ['codex', { CODEX_HOME: '/c' }, '/c/config.toml'],
    ['gemini', { GEMINI_CLI_HOME: '/c' }, '/c/.gemini/settings.json'],
    ['opencode', { XDG_CONFIG_HOME: '/c' }, '/c/opencode/opencode.json'],
    ['vscode', { XDG_CONFIG_HOME: '/c' }, '/c/Code/User/mcp.json'],
    ['cline', { CLINE_DIR: '/c' }, '/c/data/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' }, '/d/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_MCP_SETTINGS_PATH: '/c/mcp.json' }, '/c/mcp.json'],
    ['qwen', { QWEN_HOME: '/c' }, '/c/settings.json'],
    ['zed', { XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config/zed/settings.json'],
  ])('%s follows %j', (name, environment, file) => {
    expect(CLIENT_TABLE[name].scopes.user?.files({ ...LINUX, environment })[0]).toBe(file);
  });

  it.each(CLIENTS)('%s tells what to do next', (name) => {
    for (const scope of Object.values(CLIENT_TABLE[name].scopes)) expect(scope.after).toMatch(/^[A-Zo].*\.$/u);
  });
});
