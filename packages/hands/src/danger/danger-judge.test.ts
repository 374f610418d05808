import { describe, expect, it } from 'vitest';
import { textTree } from '../testing/text-tree.ts';
import { DangerJudge } from './danger-judge.ts';
import { externalTargets } from './execution-targets.ts';

type Files = Readonly<Record<string, string | null>>;

const PLAIN = '[core]\n\tbare = false\n';
const EVIL = '[core]\n\tfsmonitor = ./evil\n';
const REPOSITORY: Files = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': PLAIN, '.git/objects': null, '.git/refs': null };

/** Judges one path of what a change adds to a tree; null takes it away. */
function judge(path: string, before: Files, change: Readonly<Record<string, string | null | undefined>>): string | undefined {
  const entries = Object.entries({ ...before, ...change }).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  const found = new DangerJudge({ before: textTree(before), after: textTree(Object.fromEntries(entries)), rootPath: '/w', elsewhere: [] }).judge(
    path,
  );
  return found === undefined ? undefined : `${found.verdict} ${found.reason}`;
}

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

describe('repositories', () => {
  const MARKS: Files = { 'x/HEAD': 'ref: refs/heads/main\n', 'x/objects': null, 'x/refs': null };
  const ALL = { ...MARKS, 'x/config': EVIL };

  it.each(Object.keys(ALL))('a look-alike is found at its last piece, %s', (last) => {
    const before = Object.fromEntries(Object.entries(ALL).filter(([name]) => name !== last));
    expect(judge(last, before, { [last]: ALL[last as keyof typeof ALL] })).toMatch(/^quarantine git-(?:repository|config)$/u);
  });

  it.each(['', 'a/'])('a look-alike is found at its last piece in %j, also without a folder of objects', (at) => {
    const own = { [`${at}HEAD`]: 'ref: refs/heads/main\n', [`${at}objects`]: null, [`${at}refs`]: null, [`${at}config`]: EVIL };
    const shared = { [`${at}HEAD`]: 'ref: refs/heads/main\n', [`${at}commondir`]: 'evil\n', 'evil/config': EVIL };
    for (const all of [own, shared])
      for (const last of Object.keys(all).filter((path) => path !== 'evil/config')) {
        const before: Files = { 'a/x': '', ...Object.fromEntries(Object.entries(all).filter(([name]) => name !== last)) };
        expect([last, judge(last, before, all)]).toEqual([last, expect.stringMatching(/^quarantine git-(?:repository|config|pointer)$/u)]);
      }
  });

  it('the workspace itself may be a repository', () => {
    const all = Object.fromEntries(Object.entries(MARKS).map(([path, text]) => [path.slice(2), text]));
    for (const path of Object.keys(all)) expect(judge(path, {}, { ...all, config: PLAIN })).toBeUndefined();
    expect(judge('config', { ...all, config: PLAIN }, { config: EVIL })).toBe('quarantine git-config');
    expect(judge('hooks/pre-commit', all, { 'hooks/pre-commit': 'x' })).toBe('quarantine git-hook');
    expect(judge('sub/hooks/pre-commit', all, { 'sub/hooks/pre-commit': 'x' })).toBeUndefined();
  });

  it.each(Object.keys(ALL))('and %s is harmless where the pieces say nothing', (last) => {
    const all: Files = { ...MARKS, 'x/config': PLAIN };
    const before = Object.fromEntries(Object.entries(all).filter(([name]) => name !== last));
    expect(judge(last, before, { [last]: all[last] ?? null })).toBeUndefined();
  });

  /** Where a command gives orders to git. Some texts are very long, and the titles show their beginning. */
  const ORDERS: ReadonlyArray<readonly [path: string, text: string | null, reason: string]> = [
    ['.git/hooks/pre-commit', 'x', 'git-hook'],
    ['.git/hooks', '-> ../evil', 'git-hook'],
    ['.git/config', EVIL, 'git-config'],
    ['.git/config', '-> ../evil', 'git-config'],
    ['.git/config.worktree', EVIL, 'git-config'],
    ['.git/commondir', '../x', 'git-pointer'],
    ['.git/commondir', '../..', 'git-pointer'],
    ['.git/objects/info/alternates', '/other/objects\n', 'git-pointer'],
    ['.git/objects/info/alternates', '/other/.git/objects\n', 'git-pointer'],
    ['.git/objects/info/alternates', '../../evil\n', 'git-pointer'],
    ['.git/objects/info/alternates', '../../.git/evil/objects\n', 'git-pointer'],
    ['.git/objects/info/alternates', '"../../other/.git/objects"\n', 'git-pointer'],
    ['.git/objects/info/alternates', '../../other/.git/objects\n../../evil\n', 'git-pointer'],
    ['.git/rebase-merge/git-rebase-todo', 'exec ./evil\n', 'git-hook'],
    ['.git/rebase-merge/strategy', '../evil\n', 'git-hook'],
    ['.git/sequencer/opts', '[options]\n\tstrategy = "x/evil"\n', 'git-hook'],
    ['.git/sequencer/opts', '-> ../evil', 'git-hook'],
    ['.git/safe', null, 'git-config'],
    ['.git/lazygit.yml', 'git: {}\n', 'git-config'],
    ['.git/sl/config', '[hooks]\n', 'git-config'],
    ['.git/remotes/origin', 'URL: x\n', 'git-config'],
    ['.git/refs/replace/0123', 'abcd\n', 'git-pointer'],
    ['.git/refs/replace/0123', '-> ../heads/main', 'git-pointer'],
    ['.git/packed-refs', 'abcd refs/heads/main\nabcd refs/replace/0123\n', 'git-pointer'],
    ['.git/packed-refs', 'ABCD refs/replace/0123\n', 'git-pointer'],
    ['.git/packed-refs', 'abcd\trefs/replace/0123\n', 'git-pointer'],
    ['.git/packed-refs', 'abcd\rrefs/replace/0123\n', 'git-pointer'],
    ['.git/packed-refs', `${'abcd refs/heads/main\n'.repeat(1_700_000)}abcd refs/replace/0123\n`, 'git-pointer'],
    ['.git/info/grafts', 'abcd'.repeat(9_000_000), 'git-pointer'],
    ['.git/packed-refs', '-> ../evil', 'git-pointer'],
    ['.git/info/grafts', 'abcd\n', 'git-pointer'],
    ['.git/shallow', 'abcd\n', 'git-pointer'],
    ['.git/shallow', '-> ../evil', 'git-pointer'],
    ['.git/index', 'DIRC\0\0\0\x02\0\0\0\x01', 'git-pointer'],
    ['.git/index', '-> ../evil', 'git-pointer'],
    ['.git/sharedindex.0123', 'DIRC\0\0\0\x02\0\0\0\x01', 'git-pointer'],
    ['.git/modules/a/index', 'DIRC\0\0\0\x02\0\0\0\x01', 'git-pointer'],
    ['.git/modules/a/config', EVIL, 'git-config'],
    ['sub/.git', 'gitdir: ../evil\n', 'git-pointer'],
    ['sub/.git', '-> ../evil', 'git-pointer'],
    ['.GIT/hooks/pre-commit', 'x', 'git-hook'],
  ];
  it.each(ORDERS.map(([path, text, reason]) => [path, text?.slice(0, 80) ?? null, reason, text] as const))(
    '%s with %j is %s',
    (path, _shown, reason, text) => {
      const module = path.includes('modules') ? { '.git/modules/a/HEAD': 'x', '.git/modules/a/objects': null, '.git/modules/a/refs': null } : {};
      expect(judge(path, REPOSITORY, { ...module, [path]: text })).toBe(`quarantine ${reason}`);
    },
  );

  it.each([
    ['.git/config', '[core]\n\tbare = false\n[branch "a"]\n\tremote = o\n\tmerge = refs/heads/a\n'],
    ['.git/refs/heads/main', 'abc\n'],
    ['.git/refs/replace', null],
    ['.git/packed-refs', 'abcd refs/heads/refs/replace/main\n^abcd\n'],
    ['.git/info/grafts', ''],
    ['.git/shallow', `${'ab'.repeat(20)}\n${'cd'.repeat(32)}\n`],
    ['.git/objects/ab/cd', 'x'],
    ['.git/hooks/pre-commit.sample', 'x'],
    ['.git/rebase-merge/git-rebase-todo', 'pick abc\n'],
    ['.git/rebase-merge/strategy', 'ort\n'],
    ['.git/sequencer/opts', '[options]\n\tedit = false\n\tstrategy = ort\n\tstrategy-option = ours\n'],
    ['.git/sequencer/todo', 'pick abc\n'],
    ['.git/objects/info/alternates', '../../other/.git/objects\n'],
    ['sub/.git', 'gitdir: ../.git/modules/sub\n'],
    ['sub/.git', 'gitdir: /w/.git/worktrees/sub\n'],
    ['.git/worktrees/sub/gitdir', '/w/sub/.git\n'],
  ])('%s with %j is harmless', (path, text) => {
    expect(judge(path, REPOSITORY, { [path]: text })).toBeUndefined();
  });

  it('keeps the stores of objects of a repository that it had, and takes none through a link', () => {
    const list = '.git/objects/info/alternates';
    expect(judge(list, { ...REPOSITORY, [list]: '../../evil\n' }, { [list]: '../../evil\n../../other/.git/objects\n' })).toBeUndefined();
    expect(judge(list, { ...REPOSITORY, link: '-> evil' }, { [list]: '../../link/.git/objects\n' })).toBe('quarantine git-pointer');
  });

  it.each<readonly [has: string, before: Files, found: string | undefined]>([
    ['nothing', {}, undefined],
    ['it in a file', { [`.git/objects/ab/${'ab'.repeat(19)}`]: 'x' }, 'quarantine git-pointer'],
    ['it at the end of history already', { [`.git/objects/ab/${'ab'.repeat(19)}`]: 'x', '.git/shallow': `${'AB'.repeat(20)}\n` }, undefined],
    ['a pack that cannot be read', { '.git/objects/pack/pack-1.idx': 'x' }, 'quarantine git-pointer'],
  ])('a commit at which history ends, in a repository that has %s', (_, before, found) => {
    expect(judge('.git/shallow', { ...REPOSITORY, ...before }, { '.git/shallow': `${'ab'.repeat(20)}\n` })).toBe(found);
  });

  it.each<readonly [does: string, before: Files, after: Files, found: string | undefined]>([
    ['packs', { '.git/refs/replace/0123': 'abcd\n' }, { '.git/packed-refs': 'abcd refs/replace/0123\n' }, undefined],
    ['unpacks', { '.git/packed-refs': 'abcd refs/replace/0123\n' }, { '.git/refs/replace/0123': 'abcd\n' }, undefined],
    ['keeps', { '.git/packed-refs': 'abcd refs/replace/0123\n' }, { '.git/packed-refs': 'ab refs/tags/a\nabcd refs/replace/0123\n' }, undefined],
    ['changes', { '.git/refs/replace/0123': 'abcd\n' }, { '.git/packed-refs': 'dcba refs/replace/0123\n' }, 'quarantine git-pointer'],
    ['changes', { '.git/packed-refs': 'abcd refs/replace/0123\n' }, { '.git/refs/replace/0123': 'dcba\n' }, 'quarantine git-pointer'],
    ['adds', { '.git/packed-refs': 'abcd refs/replace/0123\n' }, { '.git/refs/replace/4567': 'abcd\n' }, 'quarantine git-pointer'],
  ])('%s what replaces an object: %j, %j', (_, before, after, expected) => {
    const [path = ''] = Object.keys(after);
    expect(judge(path, { ...REPOSITORY, ...before }, after)).toBe(expected);
  });

  it('keeps references that were packed beside what replaces an object', () => {
    const before = { ...REPOSITORY, '.git/refs/heads/main': 'abcd\n' };
    const line = 'abcd refs/heads/main\n';
    for (const [text, found] of [
      [line, undefined],
      [`${line}abcd refs/replace/0123\n`, 'quarantine git-pointer'],
    ] as const)
      for (const path of ['.git/refs/heads/main', '.git/refs/heads'])
        expect(judge(path, before, { '.git/packed-refs': text, '.git/refs/heads/main': undefined })).toBe(found);
  });

  it('takes the folder of a worktree for what it is, only in a repository', () => {
    expect(
      judge('.git/worktrees/a/commondir', REPOSITORY, { '.git/worktrees/a/HEAD': 'x', '.git/worktrees/a/commondir': '../..\n' }),
    ).toBeUndefined();
    const other = { 'y/config': EVIL, 'y/worktrees/a/HEAD': 'x' };
    expect(judge('y/worktrees/a/commondir', other, { 'y/worktrees/a/commondir': '../..\n' })).toBe('quarantine git-pointer');
  });

  it('lets a submodule name its own working tree', () => {
    const module = { '.git/modules/a/HEAD': 'x', '.git/modules/a/objects': null, '.git/modules/a/refs': null };
    const text = (path: string): string => `[core]\n\tworktree = ${path}\n`;
    expect(judge('.git/modules/a/config', REPOSITORY, { ...module, '.git/modules/a/config': text('../../../a') })).toBeUndefined();
    expect(judge('.git/modules/a/config', REPOSITORY, { ...module, '.git/modules/a/config': text('../../../../a') })).toBe('quarantine git-config');
  });

  it.each([
    '[user]\n\temail = b@example.com\n',
    '[remote "o"]\n\turl = https://example.com/x.git\n',
    '[branch "main"]\n\tremote = o\n[push]\n\tdefault = matching\n',
  ])('tells what the next commits and pushes do: %j', (text) => {
    expect(judge('.git/config', { ...REPOSITORY, '.git/config': '' }, { '.git/config': text })).toBe('report git-config');
    expect(judge('.git/config', { ...REPOSITORY, '.git/config': text }, { '.git/config': `${text}[core]\n\tbare = false\n` })).toBeUndefined();
  });

  it.each(['.git/info/exclude', '.git/info/attributes'])('tells what git leaves out or shows otherwise: %s', (path) => {
    const before = { ...REPOSITORY, [path]: '# a comment\n*.log -diff\n' };
    expect(judge(path, before, { [path]: '# a comment\n*.log -diff\n* -diff\n' })).toBe('report git-config');
    expect(judge(path, REPOSITORY, { [path]: '*\n' })).toBe('report git-config');
    expect(judge(path, before, { [path]: '# another comment\n\n' })).toBeUndefined();
    expect(judge(path, {}, { ...REPOSITORY, [path]: '*\n' })).toBeUndefined();
  });

  it('asks about a submodule that goes to another host', () => {
    const before = { ...REPOSITORY, '.gitmodules': '[submodule "a"]\n\tpath = a\n\turl = https://github.com/a/b\n' };
    const to = (url: string): string => `[submodule "a"]\n\tpath = a\n\turl = ${url}\n`;
    expect(judge('.gitmodules', before, { '.gitmodules': to('https://github.com/a/c') })).toBeUndefined();
    expect(judge('.gitmodules', before, { '.gitmodules': to('https://evil.example/a/b') })).toBe('quarantine protected');
  });

  it.each([
    ['.git/config', 'remote "a"', 'quarantine git-config'],
    ['.gitmodules', 'submodule "a"', 'quarantine protected'],
  ])('keeps back settings that cannot be compared, as they are too large: %s', (path, section, verdict) => {
    const to = (host: string, comments = ''): string => `[${section}]\n\turl = https://${host}/a/b\n${comments}`;
    const large = '# a comment\n'.repeat(100_000);
    expect(judge(path, { ...REPOSITORY, [path]: to('github.com', large) }, { [path]: to('evil.example') })).toBe(verdict);
    expect(judge(path, { ...REPOSITORY, [path]: to('github.com') }, { [path]: to('evil.example', large) })).toBe(verdict);
    // The controls: it is new, or it is removed.
    if (path === '.gitmodules') expect(judge(path, REPOSITORY, { [path]: to('github.com') })).toBeUndefined();
    if (path === '.gitmodules') expect(judge(path, { ...REPOSITORY, [path]: to('github.com', large) }, { [path]: undefined })).toBeUndefined();
  });

  it('judges what a setting became, not what was there', () => {
    const before = { ...REPOSITORY, '.git/config': EVIL };
    expect(judge('.git/config', before, { '.git/config': `${EVIL}[core]\n\tbare = false\n` })).toBeUndefined();
    expect(judge('.git/config', before, { '.git/config': `${EVIL}[core]\n\tfsmonitor = ./other\n` })).toBe('quarantine git-config');
  });

  it('tells what is taken away', () => {
    const before = { ...REPOSITORY, '.git/hooks/pre-commit': 'x', 'sub/.git/HEAD': 'x', 'sub/a': 'x' };
    expect(judge('.git/hooks/pre-commit', before, { '.git/hooks/pre-commit': undefined })).toBe('quarantine git-config');
    expect(judge('.git/hooks', before, { '.git/hooks': undefined, '.git/hooks/pre-commit': undefined })).toBe('quarantine git-config');
    const samples = { ...REPOSITORY, '.git/hooks/pre-commit.sample': 'x' };
    expect(judge('.git/hooks', samples, { '.git/hooks': undefined, '.git/hooks/pre-commit.sample': undefined })).toBeUndefined();
    expect(judge('sub/.git', before, { 'sub/.git/HEAD': undefined })).toBe('quarantine git-repository');
    expect(judge('sub', before, { 'sub/.git/HEAD': undefined, 'sub/a': undefined })).toBeUndefined();
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
