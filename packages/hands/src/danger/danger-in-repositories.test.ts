import { describe, expect, it } from 'vitest';
import { EVIL, judge, PLAIN, REPOSITORY, type Files } from './fixtures/judge-path.ts';

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

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'info/__proto__'])(
    'takes no name of an inherited property for an order: %s',
    (name) => {
      expect(judge(`.git/${name}`, REPOSITORY, { [`.git/${name}`]: 'x' })).toBeUndefined();
    },
  );

  it('tells of rules beside the commits that are too long to be read, and not of those that are gone', () => {
    const path = '.git/info/exclude';
    expect(judge(path, REPOSITORY, { [path]: `*\n${'# a comment\n'.repeat(100_000)}` })).toBe('report git-config');
    expect(judge(path, { ...REPOSITORY, [path]: '*\n' }, { [path]: undefined })).toBeUndefined();
  });
});
