/** Short names that NTFS maps to other names. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['git~1', '.git'],
  ['gitmod~1', '.gitmodules'],
]);

/** Folds a name like the laxest file system: case, trailing dots and spaces, streams, short names. */
export function foldName(name: string | Buffer): string {
  const folded = name
    .toString()
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '');
  return SHORT_NAMES.get(folded) ?? folded;
}

/** Names that only need lower case: nearly all, and full folding is slow. */
const PLAIN = /^[\w\-+@]*(?:\.[\w\-+@]+)*$/u;

/** Folds a name with one character per byte (latin1). */
export function foldBytes(name: string): string {
  return PLAIN.test(name) ? name.toLowerCase() : foldName(Buffer.from(name, 'latin1'));
}

interface ProtectedPlace {
  /** Consecutive names, anywhere in the path; a folder covers everything below it. The last may be `*.ending`. */
  readonly names: readonly string[];
  readonly reason: string;
  /** The program, and what it reads there. */
  readonly source: string;
  /** Whether it counts only at the top of the workspace. Default: at every depth. */
  readonly isAtTop?: true;
}

const GIT = 'git runs hooks and programs that are named there';
const REPOSITORY = 'a version control system runs programs that are named there';
const EDITOR = 'an editor runs tasks that are named there';
const AGENT = 'an agent reads its tools and permissions from there';
const SHELL = 'a shell runs it at its start';
const PACKAGE = 'a package manager runs what it names';
const TOOL = 'a developer tool runs it at its start';

const LEFTHOOK = ['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local'].flatMap((name) =>
  ['yml', 'yaml', 'toml', 'json', 'jsonc'].map((ending) => `${name}.${ending}`),
);

/** Creates rows from `consecutive names: what obeys them`. */
const rows = (reason: string, places: Readonly<Record<string, string>>): ProtectedPlace[] =>
  Object.entries(places).map(([path, source]) => ({ names: path.split('/'), reason, source }));

/**
 * Files that another program executes or obeys the next time it starts. By writing one, a confused
 * model, or hostile text that it read, turns a file into a command. Denied by name and at every
 * depth, even if the file does not exist yet (compare CVE-2026-25725).
 */
export const PROTECTED_PLACES: readonly ProtectedPlace[] = [
  ...rows(GIT, {
    '.git': 'git: hooks, config',
    '.githooks': 'git: usual value of core.hooksPath',
    '.husky': 'husky: hooks of git',
    '.pre-commit-config.yaml': 'pre-commit, prek: hooks of git',
    'prek.toml': 'prek: hooks of git',
    ...Object.fromEntries(LEFTHOOK.map((name) => [name, 'lefthook: hooks of git'])),
    '.lefthook': 'lefthook: scripts of hooks',
    '.lefthook-local': 'lefthook: scripts of hooks',
    '.overcommit.yml': 'overcommit: hooks of git',
    '.git-hooks': 'overcommit: hooks in Ruby',
  }),
  ...rows(REPOSITORY, {
    '.hg/hgrc': 'Mercurial: hooks, aliases, extensions',
    '.hg/hgrc-not-shared': 'Mercurial: hooks, aliases, extensions',
    '.hg/sharedpath': 'Mercurial: another repository whose settings it reads',
    '.sl/config': 'Sapling: hooks, aliases, extensions',
    '.jj/repo/config.toml': 'Jujutsu: aliases, editors, merge and diff tools',
    '.jj/workspace-config.toml': 'Jujutsu: aliases, editors, merge and diff tools',
    '.arcconfig': 'Arcanist: libraries of PHP that it loads',
    '.arclint': 'Arcanist: commands of linters',
    '_darcs/prefs/defaults': 'Darcs: hooks before and after commands',
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
    '.kilo': 'Kilo Code: mcp.json',
    '.kilocode': 'Kilo Code: mcp.json, under its old name; rules, workflows',
    '.openhands': 'OpenHands: setup.sh, hooks, microagents',
    '.github/agents': 'Copilot: *.agent.md, tools of an agent',
    '.github/mcp.json': 'Copilot: MCP servers',
    '.github/hooks': 'Copilot: hooks of an agent',
    '.github/lsp.json': 'Copilot: commands of language servers',
    '.github/copilot': 'Copilot: settings.json, hooks',
    '.github/extensions': 'Copilot: code of extensions',
    '.agents': 'Amp, Codex and others: skills with their scripts, plugins',
    '.pi': 'Pi: extensions in TypeScript, settings.json',
    '.vibe': 'Mistral Vibe: config.toml, tools, agents',
    '.augment': 'Augment: settings.json, MCP servers',
    '.grok': 'Grok CLI: settings.json, MCP servers',
    '.iflow': 'iFlow: settings.json, MCP servers',
  }),
  // Deeper ones are prompts of the project's own program.
  { names: ['system_prompt.md'], reason: 'agents of Synapse obey it as their operator', source: 'Synapse: words of the operator', isAtTop: true },
  ...rows(EDITOR, {
    '.vscode': 'VS Code: tasks.json, settings.json, mcp.json',
    '*.code-workspace': 'VS Code: tasks, settings and MCP servers of several folders',
    '*.sublime-project': 'Sublime Text: build systems',
    '.idea': 'JetBrains: run configurations, watchers',
    '.fleet': 'Fleet: run.json',
    '.devcontainer': 'dev containers: commands at start',
    '.devcontainer.json': 'dev containers: commands at start',
    '.zed': 'Zed: tasks.json, settings.json',
    '.exrc': 'Vim, Neovim: commands, where exrc is set',
    '.vimrc': 'Vim: commands, where exrc is set',
    '.nvimrc': 'Neovim: commands, where exrc is set',
    '.nvim.lua': 'Neovim: Lua, where exrc is set',
    '.lvimrc': 'Vim with localvimrc: commands',
    '.ycm_extra_conf.py': 'YouCompleteMe: Python',
    '.luarc.json': 'lua-language-server: plugins in Lua',
    '.luarc.jsonc': 'lua-language-server: plugins in Lua',
    '.vim/coc-settings.json': 'coc.nvim: commands of language servers',
    '.dir-locals.el': 'Emacs: variables and forms',
    '.dir-locals-2.el': 'Emacs: variables and forms',
    '.helix': 'Helix: languages.toml, commands of language servers and formatters',
    '.nova': 'Nova: tasks',
    '.theia': 'Theia: tasks.json, settings.json',
    '.vs': 'Visual Studio: tasks.vs.json, launch.vs.json',
    '.run': 'JetBrains: run configurations',
  }),
  ...rows(SHELL, {
    '.envrc': 'direnv',
    'mise.toml': 'mise: environment from scripts, hooks',
    '.mise.toml': 'mise: environment from scripts, hooks',
    'mise.local.toml': 'mise: environment from scripts, hooks',
    '.mise.local.toml': 'mise: environment from scripts, hooks',
    '.mise': 'mise: config.toml',
    '.config/mise': 'mise: config.toml',
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
    '.pnp.cjs': 'Yarn: code that Node loads before a program',
    '.pnp.loader.mjs': 'Yarn: code that Node loads before a program',
    '.pnpmfile.cjs': 'pnpm: hooks',
    '.pnpmfile.mjs': 'pnpm: hooks',
    '.cargo/config.toml': 'cargo: runner, rustc-wrapper, linker, alias',
    '.cargo/config': 'cargo: the same under its old name',
    'rust-toolchain.toml': 'rustup: the folder of the programs that it starts',
    'rust-toolchain': 'rustup: the same under its old name',
  }),
  ...rows(TOOL, {
    '.gdbinit': 'gdb: commands',
    '.lldbinit': 'lldb: commands',
    '.pdbrc': 'pdb: Python statements',
    '.irbrc': 'irb: Ruby',
    '.pryrc': 'pry: Ruby',
    '.rprofile': 'R: code',
    '.byebugrc': 'byebug: debugger commands',
    '.rdbgrc': 'rdbg: debugger commands',
    '.rdbgrc.rb': 'rdbg: Ruby',
    '.perldb': 'perl -d: Perl',
    '.ghci': 'GHCi: commands',
    '.ocamlinit': 'ocaml: phrases',
    '.iex.exs': 'IEx: Elixir',
    '.octaverc': 'Octave: commands',
  }),
];

/** Indexed by the last name, or its ending, so that two lookups rule out nearly all names. */
const BY_LAST_NAME = Map.groupBy(PROTECTED_PLACES, ({ names }) => (names.at(-1) ?? '').replace('*', ''));
const FIRST_NAMES: ReadonlySet<string> = new Set(PROTECTED_PLACES.flatMap(({ names }) => (names.length > 1 ? names.slice(0, 1) : [])));

/** The places with this last name, or with its ending. */
function placesBy(folded: string): readonly ProtectedPlace[] | undefined {
  const dot = folded.lastIndexOf('.');
  return BY_LAST_NAME.get(folded) ?? (dot > 0 ? BY_LAST_NAME.get(folded.slice(dot)) : undefined);
}

const fits = (name: string, folded: string): boolean => name === folded || (name.startsWith('*') && folded.endsWith(name.slice(1)));

const endsWith = (folded: readonly string[], end: number, { names, isAtTop }: ProtectedPlace): boolean =>
  (isAtTop !== true || end === names.length) && names.every((name, index) => fits(name, folded[end - names.length + index] ?? ''));

/** Returns the protected place that a path names or is inside of, if any. */
export function protectedPlace(path: ReadonlyArray<string | Buffer>): ProtectedPlace | undefined {
  const folded = path.map(foldName);
  for (const [index, name] of folded.entries()) {
    const found = placesBy(name)?.find((place) => endsWith(folded, index + 1, place));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the protected place that an entry itself names, ignoring its parent folders. One character is one byte (latin1). */
export function protectedEntry(path: string): ProtectedPlace | undefined {
  const places = placesBy(foldBytes(path.slice(path.lastIndexOf('/') + 1)));
  if (places === undefined) return undefined;
  const folded = path.split('/').map(foldBytes);
  return places.find((place) => endsWith(folded, folded.length, place));
}

/** Whether protected places can be in folders of this name. A link with this name brings them in from elsewhere. */
export function holdsProtected(name: string): boolean {
  return FIRST_NAMES.has(foldBytes(name));
}
