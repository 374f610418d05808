import { foldBytes, foldName } from './fold-name.ts';

interface ProtectedPlace {
  /** Names in a row, anywhere in the path; a folder covers everything below it. */
  readonly names: readonly string[];
  readonly reason: string;
  /** The program, and what it takes from there. */
  readonly source: string;
}

const GIT = 'git runs hooks and programs that are named there';
const EDITOR = 'an editor runs tasks that are named there';
const AGENT = 'an agent reads its tools and permissions from there';
const SHELL = 'a shell runs it at its start';
const PACKAGE = 'a package manager runs what it names';
const TOOL = 'a developer tool runs it at its start';

/** Written as `names in a row: what takes orders from it`. */
const rows = (reason: string, places: Readonly<Record<string, string>>): ProtectedPlace[] =>
  Object.entries(places).map(([path, source]) => ({ names: path.split('/'), reason, source }));

/**
 * Files that another program executes, or takes its orders from, the next time it starts. Writing one
 * is how a confused model, or a hostile text it read, turns a file into a command. Denied by name and
 * at every depth, also where the file does not exist yet (compare CVE-2026-25725).
 */
export const PROTECTED_PLACES: readonly ProtectedPlace[] = [
  ...rows(GIT, {
    '.git': 'git: hooks, config',
    '.githooks': 'git: usual value of core.hooksPath',
    '.husky': 'husky: hooks of git',
  }),
  ...rows(AGENT, {
    '.mcp.json': 'Claude Code and others: MCP servers of a project',
    '.claude': 'Claude Code: settings, hooks, commands, agents',
    '.codex': 'Codex: config.toml',
    '.cursor': 'Cursor: mcp.json, hooks.json, cli.json, rules',
    '.gemini': 'Gemini CLI: settings.json, commands, extensions',
    '.opencode': 'opencode: agents, plugins, tools',
    'opencode.json': 'opencode: MCP servers, permissions',
    'opencode.jsonc': 'opencode: MCP servers, permissions',
    '.synapse': 'Synapse: config.jsonc',
    '.roo': 'Roo Code: mcp.json, rules, commands',
    '.roomodes': 'Roo Code: modes and their tools',
    '.kiro': 'Kiro: settings/mcp.json, hooks, steering',
    '.amazonq': 'Amazon Q: mcp.json, cli-agents',
    '.amp': 'Amp: settings.json, MCP servers and permissions',
    '.windsurf': 'Windsurf: hooks.json, workflows, rules',
    '.continue': 'Continue: MCP servers, prompts',
    '.aider.conf.yml': 'aider: lint-cmd, test-cmd',
    '.cline': 'Cline: MCP servers, hooks',
    '.clinerules': 'Cline: rules, workflows, hooks',
    '.goose': 'Goose: extensions, recipes',
    '.junie': 'Junie: mcp/mcp.json',
    '.qwen': 'Qwen Code: settings.json',
    '.trae': 'Trae: mcp.json, rules',
    '.factory': 'Factory Droid: mcp.json, hooks, droids',
    '.crush.json': 'Crush: MCP servers, language servers, permissions',
    'crush.json': 'Crush: MCP servers, language servers, permissions',
    '.github/agents': 'Copilot: *.agent.md, tools of an agent',
    '.github/mcp.json': 'Copilot: MCP servers',
    '.github/hooks': 'Copilot: hooks of an agent',
  }),
  ...rows(EDITOR, {
    '.vscode': 'VS Code: tasks.json, settings.json, mcp.json',
    '.idea': 'JetBrains: run configurations, watchers',
    '.fleet': 'Fleet: run.json',
    '.devcontainer': 'dev containers: commands at start',
    '.devcontainer.json': 'dev containers: commands at start',
    '.zed': 'Zed: tasks.json, settings.json',
    '.exrc': 'Vim, Neovim: commands, where exrc is set',
    '.vimrc': 'Vim: commands, where exrc is set',
    '.nvimrc': 'Neovim: commands, where exrc is set',
    '.nvim.lua': 'Neovim: Lua, where exrc is set',
    '.dir-locals.el': 'Emacs: variables and forms',
  }),
  ...rows(SHELL, {
    '.envrc': 'direnv',
    '.bashrc': 'bash',
    '.bash_profile': 'bash',
    '.bash_login': 'bash',
    '.bash_logout': 'bash, at its end',
    '.profile': 'sh',
    '.zshrc': 'zsh',
    '.zshenv': 'zsh',
    '.zprofile': 'zsh',
    '.zlogin': 'zsh',
  }),
  ...rows(PACKAGE, {
    '.npmrc': 'npm, pnpm: script-shell, node-options, registry',
    '.yarnrc': 'Yarn 1: yarn-path',
    '.yarnrc.yml': 'Yarn: yarnPath, plugins',
    '.yarn/releases': 'Yarn: what yarnPath names',
    '.yarn/plugins': 'Yarn: code of plugins',
    '.pnpmfile.cjs': 'pnpm: hooks',
    '.pnpmfile.mjs': 'pnpm: hooks',
    '.cargo/config.toml': 'cargo: runner, rustc-wrapper, linker, alias',
    '.cargo/config': 'cargo: the same under its old name',
  }),
  ...rows(TOOL, {
    '.gdbinit': 'gdb: commands',
    '.lldbinit': 'lldb: commands',
    '.pdbrc': 'pdb: Python statements',
    '.irbrc': 'irb: Ruby',
    '.pryrc': 'pry: Ruby',
    '.rprofile': 'R: code',
  }),
];

/** By the last of their names, so that one look at a name rules out nearly all. */
const BY_LAST_NAME = Map.groupBy(PROTECTED_PLACES, ({ names }) => names.at(-1) ?? '');
const FIRST_NAMES: ReadonlySet<string> = new Set(PROTECTED_PLACES.flatMap(({ names }) => (names.length > 1 ? names.slice(0, 1) : [])));

const endsWith = (folded: readonly string[], end: number, { names }: ProtectedPlace): boolean =>
  names.every((name, index) => folded[end - names.length + index] === name);

/** The protected place that a path names or lies in, if any. */
export function protectedPlace(path: ReadonlyArray<string | Buffer>): ProtectedPlace | undefined {
  const folded = path.map(foldName);
  for (const [index, name] of folded.entries()) {
    const found = BY_LAST_NAME.get(name)?.find((place) => endsWith(folded, index + 1, place));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The protected place that an entry is by its own name; not that of a folder that it lies in. One character is one byte (latin1). */
export function protectedEntry(path: string): ProtectedPlace | undefined {
  const places = BY_LAST_NAME.get(foldBytes(path.slice(path.lastIndexOf('/') + 1)));
  if (places === undefined) return undefined;
  const folded = path.split('/').map(foldBytes);
  return places.find((place) => endsWith(folded, folded.length, place));
}

/** Whether protected places lie in folders of this name. A link of this name brings them from elsewhere. */
export function holdsProtected(name: string): boolean {
  return FIRST_NAMES.has(foldBytes(name));
}

/** What git itself writes in its folder at a commit, and never executes or takes orders from. */
const GIT_DATA = new Set([
  'objects',
  'refs',
  'logs',
  'index',
  'HEAD',
  'ORIG_HEAD',
  'FETCH_HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'COMMIT_EDITMSG',
  'packed-refs',
]);

/** Whether a place is history of the workspace's own repository: `git commit` changes it, as commands may. */
export function isGitData(path: ReadonlyArray<string | Buffer>): boolean {
  const [folder, name = '', ...rest] = path;
  // `objects/info/alternates` leads git to other folders.
  if (folder !== '.git' || !GIT_DATA.has(name.toString()) || (name === 'objects' && rest[0] === 'info')) return false;
  return protectedPlace([name, ...rest]) === undefined;
}
