import { describe, expect, it } from 'vitest';
import { textTree } from '../testing/text-tree.ts';
import { DangerJudge } from './danger-judge.ts';
import { externalTargets } from './execution-targets.ts';
import { judge, PLAIN, REPOSITORY, type Files } from './fixtures/judge-path.ts';

describe('links in a repository', () => {
  it.each([
    'refs/heads/x',
    'logs/refs/heads/main',
    'logs',
    'objects',
    'objects/ab',
    'info',
    'rebase-merge',
    'sequencer',
    'worktrees/x',
    'index',
    'MERGE_MSG',
  ])('lead git elsewhere: %s', (name) => {
    expect(judge(`.git/${name}`, REPOSITORY, { [`.git/${name}`]: '-> ../x' })).toBe('quarantine git-pointer');
    expect(judge(`.git/${name}`, REPOSITORY, { [`.git/${name}`]: 'x' })).toBeUndefined();
  });

  it('are of other programs in their places', () => {
    expect(judge('.git/annex/x', REPOSITORY, { '.git/annex/x': '-> ../x' })).toBeUndefined();
    expect(judge('refs/x', {}, { 'refs/x': '-> ../x' })).toBeUndefined();
  });
});

describe('what a configuration names', () => {
  const HOOKS: Files = { ...REPOSITORY, '.git/config': '[core]\n\thooksPath = tools/hooks\n', 'tools/hooks/README': 'x', 'other/hooks/a': 'x' };
  const INCLUDES: Files = { ...REPOSITORY, '.git/config': '[include]\n\tpath = ../conf/git.inc\n', 'other/git.inc': PLAIN };
  const MONITOR: Files = { ...REPOSITORY, '.git/config': '[core]\n\tfsmonitor = ./scripts/run\n', 'scripts/run': 'x', 'other/run': 'x' };
  const HOOK: Files = { ...REPOSITORY, '.git/hooks/pre-commit': '-> ../../scripts/run', 'scripts/run': 'x', 'other/run': 'x' };

  it.each<[string, Files, string, Readonly<Record<string, string | null | undefined>>]>([
    ['tools', HOOKS, 'a folder on the way becomes a link', { 'tools/hooks/README': undefined, tools: '-> other' }],
    ['other/hooks/pre-commit', HOOKS, 'where that link leads', { 'tools/hooks/README': undefined, tools: '-> other', 'other/hooks/pre-commit': 'x' }],
    ['conf', INCLUDES, 'what was missing is linked', { conf: '-> other' }],
    ['scripts', MONITOR, 'the folder of a program becomes a link', { 'scripts/run': undefined, scripts: '-> other' }],
    ['scripts', HOOK, 'the folder behind the link of a hook becomes a link', { 'scripts/run': undefined, scripts: '-> other' }],
  ])('covers the way there: %s', (path, before, _, change) => {
    expect(judge(path, before, change)).toBe('quarantine named-by-git');
    expect(judge('other/else', before, { ...change, 'other/else': 'x' })).toBeUndefined();
  });

  it('covers what a repository below names outside of it, where it is known', () => {
    const below = Object.fromEntries(Object.entries(REPOSITORY).map(([path, text]) => [`sub/${path}`, text]));
    const files: Files = { ...below, 'sub/.git/config': '[core]\n\thooksPath = ../hooks\n', 'hooks/a': 'x' };
    const judged = (folders: readonly string[]): string | undefined =>
      new DangerJudge({
        before: textTree(files),
        after: textTree({ ...files, 'hooks/pre-commit': 'x' }),
        rootPath: '/w',
        elsewhere: folders.flatMap((folder) => externalTargets(textTree(files), '/w', folder)),
      }).judge('hooks/pre-commit')?.reason;
    expect([judged(['sub']), judged([])]).toEqual(['named-by-git', undefined]);
  });

  it.each<[string, Files]>([
    ['real/hooks/pre-commit', { ...REPOSITORY, '.git/config': '[core]\n\thooksPath = tools/hooks\n', tools: '-> real', 'real/hooks/a': 'x' }],
    ['real/pre-commit', { ...REPOSITORY, '.git/config': '[core]\n\thooksPath = hooks\n', hooks: '-> real', 'real/a': 'x' }],
    ['real/inc', { ...REPOSITORY, '.git/config': '[include]\n\tpath = ../inc\n', inc: '-> real/inc', 'real/inc': PLAIN }],
    ['h/pre-commit', { ...REPOSITORY, '.git/config': '[include]\n\tpath = ../inc\n', inc: '-> real/inc', 'real/inc': '[core]\n\thooksPath = h\n' }],
  ])('covers what is behind links that were there: %s', (path, before) => {
    expect(judge(path, before, { [path]: 'x' })).toBe('quarantine named-by-git');
    expect(judge('real/else', before, { 'real/else': 'x' })).toBe(path === 'real/pre-commit' ? 'quarantine named-by-git' : undefined);
  });
});

describe('what the configuration of git names', () => {
  const named = (setting: string): Files => ({ ...REPOSITORY, '.git/config': setting, 'tools/x.sh': 'x', 'src/a.ts': 'x' });

  it.each([
    ['[core]\n\thooksPath = tools/hooks\n', 'tools/hooks/pre-commit'],
    ['[include]\n\tpath = ../shared.gitconfig\n', 'shared.gitconfig'],
    ['[includeIf "gitdir:/"]\n\tpath = ../shared.gitconfig\n', 'shared.gitconfig'],
    ['[core]\n\tfsmonitor = ./tools/new.sh\n', 'tools/new.sh'],
    ['[filter "x"]\n\tclean = sh tools/x.sh %f\n', 'tools/x.sh'],
    ['[diff "x"]\n\ttextconv = node tools/x.sh\n', 'tools/x.sh'],
    ['[alias]\n\ts = !tools/x.sh\n', 'tools/x.sh'],
    ['[credential]\n\thelper = "!/w/tools/x.sh"\n', 'tools/x.sh'],
    ['[core]\n\tsshCommand = ssh -F tools/x.sh\n', 'tools/x.sh'],
    ['[submodule "s"]\n\tupdate = !tools/x.sh\n', 'tools/x.sh'],
    ['[gc]\n\trecentObjectsHook = tools/x.sh\n', 'tools/x.sh'],
    ['[lfs "customtransfer.a"]\n\tpath = tools/x.sh\n', 'tools/x.sh'],
    ['[tar "tar.xz"]\n\tcommand = tools/x.sh\n', 'tools/x.sh'],
    ['[browser "a"]\n\tpath = tools/x.sh\n', 'tools/x.sh'],
  ])('%j protects %s', (setting, path) => {
    expect(judge(path, named(setting), { [path]: 'changed' })).toBe('quarantine named-by-git');
    expect(judge(path, named(PLAIN), { [path]: 'changed' })).toBeUndefined();
  });

  it('follows an include', () => {
    const before = { ...named('[include]\n\tpath = ../shared.gitconfig\n'), 'shared.gitconfig': '[core]\n\thooksPath = tools\n' };
    expect(judge('tools/x.sh', before, { 'tools/x.sh': 'changed' })).toBe('quarantine named-by-git');
  });

  it('does not take a folder that a command works on for one of its scripts', () => {
    expect(judge('src/a.ts', named('[alias]\n\tl = !eslint src\n'), { 'src/a.ts': 'changed' })).toBeUndefined();
  });
});

describe('orders to other programs', () => {
  it.each([
    ['.mcp.json', {}, 'quarantine protected'],
    ['.roo/mcp.json', {}, 'quarantine protected'],
    ['.cargo/config.toml', { '.cargo/audit.toml': '' }, 'quarantine protected'],
    ['.cargo/config.toml', {}, 'quarantine protected'],
    ['.github/mcp.json', {}, 'quarantine protected'],
    ['.hg/sharedpath', {}, 'quarantine protected'],
    ['.kilocode/mcp.json', {}, 'quarantine protected'],
    ['.openhands/setup.sh', {}, 'quarantine protected'],
    ['new/.cargo/config.toml', {}, 'report protected'],
    ['.cargo/audit.toml', {}, undefined],
    ['.cargo', {}, undefined],
    ['.github/agents/x.agent.md', { '.github/ci.yml': '' }, 'quarantine protected'],
    ['packages/a/.mcp.json', { 'packages/a/x': '' }, 'quarantine protected'],
    ['packages/a/.mcp.json', {}, 'report protected'],
    ['node_modules/a/.vscode/settings.json', { 'node_modules/a/x': '' }, undefined],
    ['src/a.ts', {}, undefined],
  ] as const)('%s in %j: %s', (path, before, verdict) => {
    expect(judge(path, before, { [path]: 'x' })).toBe(verdict);
  });

  it('tells a changed or deleted one wherever it is', () => {
    expect(judge('a/.mcp.json', { 'a/.mcp.json': 'x' }, { 'a/.mcp.json': 'y' })).toBe('quarantine protected');
    expect(judge('a/.mcp.json', { 'a/.mcp.json': 'x', 'a/b': '' }, { 'a/.mcp.json': undefined })).toBe('quarantine protected');
  });

  it('finds a link that brings one', () => {
    expect(judge('.cargo', { 'x/config.toml': '' }, { '.cargo': '-> x' })).toBe('quarantine protected');
  });

  it.each(['AGENTS.md', 'sub/CLAUDE.md', '.github/copilot-instructions.md', '.github/instructions/a.instructions.md'])('names %s', (path) => {
    expect(judge(path, { 'sub/x': '', '.github/instructions/x': '' }, { [path]: 'x' })).toBe('report instructions');
  });
  it('does not name the prose of what was installed or cloned', () => {
    expect(judge('new/AGENTS.md', {}, { 'new/AGENTS.md': 'x' })).toBeUndefined();
    expect(judge('node_modules/a/AGENTS.md', { 'node_modules/a/x': '' }, { 'node_modules/a/AGENTS.md': 'x' })).toBeUndefined();
  });
});

it('knows the links of a repository in what only looks like another one', () => {
  const HOOK: Files = { 'sub/.git/HEAD': 'x', 'sub/.git/hooks/pre-commit': '-> ../../check', 'sub/check': 'x' };
  const lookAlike: Files = { 'sub/HEAD': 'x', 'sub/objects': null, 'sub/refs': null };
  const atRoot: Files = { HEAD: 'x', objects: null, refs: null };
  for (const before of [HOOK, { ...HOOK, ...lookAlike }, { ...HOOK, ...atRoot }])
    expect(judge('sub/check', before, { 'sub/check': 'evil' })).toBe('quarantine named-by-git');
});

describe('what protected places are links to', () => {
  const before = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/objects': null,
    '.git/refs': null,
    '.git/hooks/pre-commit': '-> ../../scripts/check',
    'scripts/check': '-> real/check.sh',
    'scripts/real/check.sh': '',
    '.claude': '-> agents',
    'agents/settings.json': '{}',
    '.vscode/tasks.json': '-> ../tasks.json',
    'tasks.json': '{}',
    '.husky/x': '-> ../node_modules/x/run',
    '.npmrc': '-> /etc/npmrc',
    'sub/.envrc': '-> ../env',
    env: '',
    'free.txt': '',
    '.idea': '-> by/way',
    by: '-> elsewhere',
    'elsewhere/way/x.xml': '',
  };
  const judge = (path: string) =>
    new DangerJudge({ before: textTree(before), after: textTree({ ...before, [path]: 'evil' }), rootPath: '/w', elsewhere: [] }).judge(path);

  it.each(['scripts/check', 'scripts/real/check.sh', 'agents/settings.json', 'agents/new.json', 'tasks.json', 'elsewhere/way/x.xml', 'by'])(
    '%s is not changed',
    (path) => {
      expect(judge(path)).toMatchObject({
        verdict: 'quarantine',
        reason: 'named-by-git',
        detail: expect.stringMatching(/^the link \S+ names it$/u) as string,
      });
    },
  );

  it.each(['free.txt', 'scripts/other', 'scripts/real/other.sh', 'node_modules/x/run'])('%s may be changed', (path) => {
    expect(judge(path)).toBeUndefined();
  });
});
