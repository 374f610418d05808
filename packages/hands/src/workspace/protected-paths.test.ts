import { describe, expect, it } from 'vitest';
import { protectedPlace } from './protected-paths.ts';

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
  ])('protects %s', (path) => {
    expect(protectedPlace(path.split('/'))).toBeDefined();
  });

  it.each(['.gitignore', '.gitattributes', '.github/workflows/ci.yml', 'git/config', 'src/git.ts', 'package.json', '.env', 'Makefile', 'a.git/x'])(
    'leaves %s alone',
    (path) => {
      expect(protectedPlace(path.split('/'))).toBeUndefined();
    },
  );
});
