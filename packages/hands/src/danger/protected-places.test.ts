import { describe, expect, it } from 'vitest';
import { PROTECTED_PLACES, protectedEntry, protectedPlace } from './protected-places.ts';

describe('protectedPlace', () => {
  it.each([
    '.git/config',
    '.git/hooks/pre-commit',
    '.git',
    'sub/.git/hooks/x',
    '.GIT/config',
    '.Git/hooks/x',
    '.git./config',
    '.git /config',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200cit/config',
    '．git/config',
    '.mcp.json',
    'packages/a/.mcp.json',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.devcontainer/devcontainer.json',
    '.envrc',
    '.bashrc',
    '.npmrc',
    '.husky/pre-commit',
    '.claude/settings.json',
    '.cursor/mcp.json',
    '.synapse/config.jsonc',
    'my project.code-workspace',
    'sub/A.CODE-WORKSPACE',
    'lefthook.yml',
    '.lefthook.json',
    'lefthook-local.toml',
    '.pi/extensions/x.ts',
    '.vibe/config.toml',
    '.agents/skills/a/SKILL.md',
    '.pre-commit-config.yaml',
    'Rust-Toolchain.toml',
  ])('protects %s', (path) => {
    expect(protectedPlace(path.split('/'))).toBeDefined();
  });

  it.each([
    '.gitignore',
    '.gitattributes',
    '.github/workflows/ci.yml',
    'git/config',
    'src/git.ts',
    'package.json',
    '.env',
    'Makefile',
    'a.git/x',
    'lefthooks.yml',
    'lefthook.md',
    'code-workspace',
    'agents/x',
    'pre-commit-config.yaml',
    'pnp.cjs',
    'constructor',
    'src/__proto__',
  ])('leaves %s alone', (path) => {
    expect(protectedPlace(path.split('/'))).toBeUndefined();
  });
});

// Written out once more, so that none can be lost.
const NAMES = `.git .githooks .husky .pre-commit-config.yaml prek.toml LEFTHOOK .lefthook .lefthook-local
  .overcommit.yml .git-hooks .hg/hgrc .hg/hgrc-not-shared .hg/sharedpath .sl/config .jj/repo/config.toml .jj/workspace-config.toml .arcconfig .arclint _darcs/prefs/defaults .mcp.json .claude .codex .cursor .gemini
  .opencode opencode.json opencode.jsonc .synapse .roo .roomodes .kiro .amazonq .amp .windsurf .continue .aider.conf.yml .cline .clinerules
  .goose .junie .qwen .trae .factory .crush.json crush.json .kilo .kilocode .openhands .github/agents .github/mcp.json .github/hooks .github/lsp.json .github/copilot
  .github/extensions .agents .pi .vibe .augment .grok .iflow .vscode *.code-workspace *.sublime-project .idea .fleet .devcontainer
  .devcontainer.json .zed .exrc .vimrc .nvimrc .nvim.lua .lvimrc .ycm_extra_conf.py .luarc.json .luarc.jsonc .vim/coc-settings.json .dir-locals.el .dir-locals-2.el .helix .nova .theia .vs .run
  .envrc mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .config/mise .bashrc .bash_profile .bash_login .bash_logout .profile
  .zshrc .zshenv .zprofile .zlogin .npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs .cargo/config.toml
  .cargo/config rust-toolchain.toml rust-toolchain .gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile .byebugrc .rdbgrc .rdbgrc.rb .perldb .ghci .ocamlinit .iex.exs
  .octaverc`
  .replace(
    'LEFTHOOK',
    ['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local']
      .map((name) => `${name}.yml ${name}.yaml ${name}.toml ${name}.json ${name}.jsonc`)
      .join(' '),
  )
  .split(/\s+/u);

it.each(NAMES)('protects %s and what is in it, at every depth', (name) => {
  const names = name.split('/');
  for (const path of [names, ['a', ...names], ['a', ...names, 'b']]) expect(protectedPlace(path)?.names).toEqual(names);
  expect(protectedPlace([...names.slice(0, -1), `${names.at(-1)}x`])).toBeUndefined();
  expect(protectedEntry(['a', ...names].join('/'))?.names).toEqual(names);
  expect(protectedEntry(['a', ...names, 'b'].join('/'))).toBeUndefined();
});

it('names every protected place above', () => {
  expect(PROTECTED_PLACES.flatMap(({ names, isAtTop }) => (isAtTop ? [] : [names.join('/')]))).toEqual(NAMES);
});

it('protects the words of the operator of agents at the top, where they are read, and no prompts of other programs', () => {
  for (const name of ['SYSTEM_PROMPT.md', 'system_prompt.md', 'SYSTEM_PROMPT.md.']) {
    expect(protectedPlace([name])?.source).toContain('operator');
    expect(protectedEntry(name)?.source).toContain('operator');
    expect(protectedPlace(['prompts', name])).toBeUndefined();
    expect(protectedEntry(`prompts/${name}`)).toBeUndefined();
  }
});
