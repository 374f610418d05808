import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const SECRET = 'known only outside';

/** Calls a tool on a workspace of its own. */
async function callIn(
  workspace: string,
  tool: string,
  input: Record<string, unknown> = {},
): Promise<Awaited<ReturnType<TemporaryHands['hands']['call']>>> {
  await using hands = await createHands({ workspace, stateFolder: join(temporary.outside, 'state') });
  return await hands.call(tool, input);
}

/** A repository outside the workspace, with a commit that holds the secret. */
function outsideRepository(): string {
  const folder = join(temporary.outside, 'private');
  initRepository(folder, { 'secret.txt': SECRET });
  return folder;
}

const TOOLS = ['git_status', 'git_diff', 'git_log', 'git_show'];

describe('where a repository is looked for', () => {
  it.each(TOOLS)('%s says kindly that there is none', async (tool) => {
    const result = await temporary.hands.call(tool);
    expect(result).toMatchObject({ ok: false, error: { code: 'not_a_repository', hint: expect.stringContaining('work without one') } });
  });

  it('names a bare repository as what it is', async () => {
    git(temporary.folder, 'init', '-q', '--bare');
    const result = await temporary.hands.call('git_log');
    expect(result).toMatchObject({ ok: false, error: { code: 'not_a_repository', message: expect.stringContaining('bare') } });
  });

  it('passes over a .git that is not one of git', async () => {
    initRepository(temporary.folder, { 'sub/a.txt': 'a' });
    mkdirSync(temporary.at('sub/.git'));
    const result = await temporary.hands.call('git_log', { path: 'sub/a.txt' });
    expect(result).toMatchObject({ ok: true, data: { repository: '.', commits: [{ message: 'first' }] } });
  });

  it('takes the nearest repository of a path, also of one that is gone', async () => {
    initRepository(temporary.folder, { 'a.txt': 'a' });
    initRepository(temporary.at('nested/deep'), { 'dir/b.txt': 'b\n' });
    rmSync(temporary.at('nested/deep/dir'), { recursive: true });
    const result = await temporary.hands.call('git_status', { path: 'nested/deep/dir/b.txt' });
    expect(result).toMatchObject({ ok: true, data: { repository: 'nested/deep', unstaged: [{ path: 'nested/deep/dir/b.txt', status: 'deleted' }] } });
    expect(await temporary.hands.call('git_diff', { paths: ['a.txt', 'nested/deep'] })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', message: expect.stringContaining('another repository') },
    });
  });

  it('works in a submodule, from above and as a workspace', async () => {
    initRepository(join(temporary.outside, 'library'), { 'lib.c': 'int x;\n' });
    initRepository(temporary.folder, { 'main.c': 'int main;\n' });
    git(temporary.folder, 'submodule', 'add', '-q', join(temporary.outside, 'library'), 'lib');
    commitAll(temporary.folder, 'with library');
    write(temporary.folder, { 'lib/lib.c': 'int y;\n' });
    const expected = { repository: 'lib', patch: expect.stringContaining('+++ b/lib/lib.c\n') };
    expect(await temporary.hands.call('git_diff', { path: 'lib' })).toMatchObject({ ok: true, data: expected });
    expect(await temporary.hands.call('git_status')).toMatchObject({ ok: true, data: { is_clean: true } });
    expect(await callIn(temporary.at('lib'), 'git_status')).toMatchObject({ ok: true, data: { unstaged: [{ path: 'lib.c' }] } });
  });

  it('works in a linked worktree', async () => {
    const main = join(temporary.outside, 'main');
    initRepository(main, { 'a.txt': 'a\n' });
    write(main, { '.git/info/exclude': 'ignored\n' });
    const linked = join(temporary.outside, 'linked');
    git(main, 'worktree', 'add', '-q', '-b', 'feature', linked);
    write(linked, { 'a.txt': 'b\n', ignored: '' });
    expect(await callIn(linked, 'git_status')).toMatchObject({ ok: true, data: { branch: 'feature', unstaged: [{ path: 'a.txt' }], untracked: [] } });
    expect(await callIn(linked, 'git_log')).toMatchObject({ ok: true, data: { commits: [{ refs: expect.arrayContaining(['main']) }] } });
  });
});

describe('a .git that leads outside', () => {
  const PLANTED: ReadonlyArray<readonly [string, (folder: string, other: string) => void]> = [
    ['a .git file', (folder, other) => write(folder, { '.git': `gitdir: ${other}/.git\n` })],
    ['a relative .git file', (folder) => write(folder, { '.git': 'gitdir: ../outside/private/.git\n' })],
    ['a .git file to a missing place', (folder, other) => write(folder, { '.git': `gitdir: ${other}/nothing\n` })],
    ['a link', (folder, other) => symlinkSync(join(other, '.git'), join(folder, '.git'))],
    [
      'commondir',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        write(folder, { '.git/commondir': `${other}/.git\n` });
      },
    ],
    [
      'commondir of a worktree that is no worktree',
      (folder, other) => {
        write(folder, { '.git': 'gitdir: fake\n', 'fake/HEAD': 'ref: refs/heads/main\n', 'fake/commondir': `${other}/.git\n` });
        write(folder, { 'fake/gitdir': `${folder}/.git\n` });
      },
    ],
    [
      'a worktree of somebody else',
      (folder, other) => {
        git(other, 'worktree', 'add', '-q', '-b', 'theirs', `${other}-linked`);
        write(folder, { '.git': `gitdir: ${other}/.git/worktrees/private-linked\n` });
      },
    ],
    [
      'linked objects',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        renameSync(join(folder, '.git/objects'), join(folder, 'objects'));
        symlinkSync(join(other, '.git/objects'), join(folder, '.git/objects'));
      },
    ],
    [
      'linked packs',
      (folder, other) => {
        git(other, 'gc', '-q');
        initRepository(folder, { 'a.txt': 'a' });
        rmSync(join(folder, '.git/objects/pack'), { recursive: true });
        symlinkSync(join(other, '.git/objects/pack'), join(folder, '.git/objects/pack'));
      },
    ],
    [
      'alternates',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        write(folder, { '.git/objects/info/alternates': `${other}/.git/objects\n` });
      },
    ],
    [
      'relative alternates',
      (folder) => {
        initRepository(folder, { 'a.txt': 'a' });
        write(folder, { '.git/objects/info/alternates': '# x\n../../../outside/private/.git/objects\n' });
      },
    ],
    [
      'alternates of alternates',
      (folder, other) => {
        initRepository(join(folder, 'store'), { 'a.txt': 'a' });
        write(folder, { 'store/.git/objects/info/alternates': `${other}/.git/objects\n` });
        initRepository(folder, { 'b.txt': 'b' });
        write(folder, { '.git/objects/info/alternates': '../../store/.git/objects\n' });
      },
    ],
    [
      'a list of alternates that is a link',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        write(folder, { list: `${other}/.git/objects\n` });
        symlinkSync('../../../list', join(folder, '.git/objects/info/alternates'));
      },
    ],
    [
      'alternates in a linked folder',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        rmSync(join(folder, '.git/objects/info'), { recursive: true });
        write(folder, { 'information/alternates': `${other}/.git/objects\n` });
        symlinkSync('../../information', join(folder, '.git/objects/info'));
      },
    ],
    [
      'alternates of objects linked from elsewhere inside',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        renameSync(join(folder, '.git/objects'), join(folder, 'objects'));
        write(folder, { 'objects/info/alternates': `${other}/.git/objects\n` });
        symlinkSync('../objects', join(folder, '.git/objects'));
      },
    ],
    [
      'links out of a linked folder of packs',
      (folder, other) => {
        git(other, 'gc', '-q');
        initRepository(folder, { 'a.txt': 'a' });
        rmSync(join(folder, '.git/objects/pack'), { recursive: true });
        mkdirSync(join(folder, 'packs'));
        for (const name of readdirSync(join(other, '.git/objects/pack')))
          symlinkSync(join(other, '.git/objects/pack', name), join(folder, 'packs', name));
        symlinkSync('../../packs', join(folder, '.git/objects/pack'));
      },
    ],
    [
      'a linked index',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        rmSync(join(folder, '.git/index'));
        symlinkSync(join(other, '.git/index'), join(folder, '.git/index'));
      },
    ],
    [
      'linked branches',
      (folder, other) => {
        initRepository(folder, { 'a.txt': 'a' });
        symlinkSync(join(other, '.git/packed-refs'), join(folder, '.git/packed-refs'));
      },
    ],
  ];

  it.each(PLANTED)('is refused: %s', async (_name, plant) => {
    const other = outsideRepository();
    const commit = git(other, 'rev-parse', 'HEAD');
    plant(temporary.folder, other);
    for (const [tool, input] of [
      ['git_status', {}],
      ['git_log', {}],
      ['git_show', { revision: commit }],
      ['git_show', { revision: commit, path: 'secret.txt' }],
    ] as const) {
      const result = await temporary.hands.call(tool, input);
      expect(result).toMatchObject({ ok: false, error: { code: expect.stringMatching(/^(?:denied|outside_workspace)$/u) } });
      expect(JSON.stringify(result)).not.toContain(SECRET);
      expect(JSON.stringify(result)).not.toContain(temporary.outside);
    }
  });

  it('is not followed by core.worktree', async () => {
    const other = outsideRepository();
    initRepository(temporary.folder, { 'secret.txt': 'inside\n' });
    git(temporary.folder, 'config', 'core.worktree', other);
    const result = await temporary.hands.call('git_diff');
    expect(result).toMatchObject({ ok: true, data: { files: [] } });
  });

  it('may borrow objects within the workspace', async () => {
    initRepository(temporary.at('one'), { 'a.txt': 'a' });
    git(temporary.folder, 'clone', '-q', '--shared', temporary.at('one'), 'two');
    expect(await temporary.hands.call('git_show', { path: 'two/a.txt' })).toMatchObject({ ok: true, data: { content: 'a' } });
  });
});

describe('a repository of another user', () => {
  it.runIf(process.geteuid?.() === 0)('is refused, and its own word for itself does not count', async () => {
    initRepository(temporary.folder, { 'a.txt': 'a' });
    git(temporary.folder, 'config', 'safe.directory', '*');
    chownSync(temporary.at('.git'), 12_345, 12_345);
    expect(await temporary.hands.call('git_status')).toMatchObject({
      ok: false,
      error: { code: 'denied', hint: expect.stringContaining('safe.directory') },
    });
  });
});

describe.runIf(process.geteuid?.() === 0)('who owns a repository', () => {
  afterEach(() => void delete process.env['SUDO_UID']);

  it.each(['the folder', '.git', 'what .git leads to'])('is asked of %s', async (place) => {
    initRepository(temporary.at('store'), { 'a.txt': 'a' });
    renameSync(temporary.at('store/.git'), temporary.at('own'));
    write(temporary.folder, { '.git': 'gitdir: own\n' });
    git(temporary.folder, 'config', 'core.worktree', temporary.folder);
    expect(await temporary.hands.call('git_log')).toMatchObject({ ok: true });
    const path = { 'the folder': '', '.git': '.git', 'what .git leads to': 'own' }[place] ?? '';
    chownSync(temporary.at(path), 12_345, 12_345);
    expect(await temporary.hands.call('git_log')).toMatchObject({ ok: false, error: { code: 'denied' } });
    // Whoever called sudo is oneself to root.
    process.env['SUDO_UID'] = '12345';
    expect(await temporary.hands.call('git_log')).toMatchObject({ ok: true });
  });
});

describe('a .git of pipes', () => {
  it.each(['HEAD', 'index', 'config', 'packed-refs', 'shallow'])('is refused at once: %s', async (name) => {
    initRepository(temporary.folder, { 'a.txt': 'a' });
    rmSync(temporary.at(`.git/${name}`), { force: true });
    execFileSync('mkfifo', [temporary.at(`.git/${name}`)]);
    expect(await temporary.hands.call('git_log')).toMatchObject({ ok: false, error: { code: 'not_a_repository' } });
  });
});

describe('formats of repositories', () => {
  const FORMATS: ReadonlyArray<readonly [string, (folder: string) => void]> = [
    [
      'ids by SHA-256',
      (folder) => {
        git(folder, 'init', '-q', '-b', 'main', '--object-format=sha256');
        write(folder, { 'dir/a': '1', b: '1' });
        commitAll(folder, 'first');
      },
    ],
    [
      'a split index',
      (folder) => {
        initRepository(folder, { 'dir/a': '1', b: '1' });
        git(folder, 'update-index', '--split-index');
      },
    ],
    [
      'a sparse checkout with settings of its own',
      (folder) => {
        initRepository(folder, { 'dir/a': '1', b: '1', 'left-out/c': '1' });
        git(folder, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'dir');
      },
    ],
    [
      'packed branches and objects',
      (folder) => {
        initRepository(folder, { 'dir/a': '1', b: '1' });
        git(folder, 'gc', '-q');
      },
    ],
  ];

  it.each(FORMATS)('%s', async (_name, make) => {
    make(temporary.folder);
    write(temporary.folder, { 'dir/a': '2' });
    const expected = { data: { counts: { staged: 0, unstaged: 1, untracked: 0, conflicted: 0 }, unstaged: [{ path: 'dir/a' }] } };
    expect(await temporary.hands.call('git_status')).toMatchObject(expected);
    expect(await temporary.hands.call('git_diff')).toMatchObject({ data: { totals: { files: 1, added: 1, removed: 1 } } });
    expect(await temporary.hands.call('git_show', { path: 'b' })).toMatchObject({ data: { content: '1' } });
    expect(await temporary.hands.call('git_blame', { path: 'b' })).toMatchObject({ data: { lines: [{ text: '1' }] } });
  });
});

describe('what is left behind', () => {
  it('is nothing: no lock, no refreshed index, no shadow folder', async () => {
    initRepository(temporary.folder, { 'a.txt': 'a\n' });
    const before = statSync(temporary.at('.git/index'), { bigint: true });
    // Only looks changed: plain `git diff` and `git status` write the index now.
    utimesSync(temporary.at('a.txt'), 1, 1);
    for (const tool of TOOLS) expect(await temporary.hands.call(tool)).toMatchObject({ ok: true });
    expect(await temporary.hands.call('git_blame', { path: 'a.txt' })).toMatchObject({ ok: true });
    expect(statSync(temporary.at('.git/index'), { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
    expect(existsSync(temporary.at('.git/index.lock'))).toBe(false);
    expect(readdirSync(join(temporary.folder, '../state/git'))).toEqual([]);
    git(temporary.folder, 'diff');
    expect(statSync(temporary.at('.git/index'), { bigint: true }).ino).not.toBe(before.ino);
  });
});
