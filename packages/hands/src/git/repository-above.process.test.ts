import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { topAbove } from './repository-above.ts';

const SECRET = 'known only beside';
let base: string;
/** A repository of two packages; the one is the workspace, and the other holds a secret. */
let top: string;
let workspace: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-above-')));
  top = join(base, 'mono');
  workspace = join(top, 'packages/a');
  initRepository(top, {
    '.gitignore': 'dist/\n',
    'packages/a/src/a.txt': 'one\n',
    'packages/b/secret.txt': `${SECRET}\n`,
    'root.txt': `${SECRET}\n`,
  });
});

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof createHands>>['call']>>;

/** Calls a tool, by default in the package. */
async function call(tool: string, input: Record<string, unknown> = {}, options: Partial<HandsOptions> = {}): Promise<Answer> {
  await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), ...options });
  return await hands.call(tool, input);
}

/** Changes both packages, staged and not. */
function changeBoth(): void {
  write(top, {
    'packages/a/src/a.txt': 'two\n',
    'packages/b/secret.txt': `${SECRET} changed\n`,
    'packages/a/new.txt': 'new\n',
    'packages/a/dist/x': 'x',
  });
  git(top, 'add', 'packages/b');
}

describe.each(['auto', 'none'] as const)('a workspace that is a folder of a repository (sandbox %s)', (sandbox) => {
  it('has a status of its own files, by names from the workspace', async () => {
    changeBoth();
    expect(await call('git_status', {}, { sandbox })).toMatchObject({
      ok: true,
      data: {
        repository: '../..',
        branch: 'main',
        staged: [],
        unstaged: [{ path: 'src/a.txt', status: 'modified' }],
        untracked: ['new.txt'],
        counts: { staged: 0, unstaged: 1, untracked: 1 },
      },
    });
    expect(JSON.stringify(await call('git_status', {}, { sandbox }))).toContain('The workspace is packages/a of the repository');
    expect(await call('git_status', {}, { sandbox, workspace: top })).toMatchObject({
      ok: true,
      data: { staged: [{ path: 'packages/b/secret.txt' }] },
    });
  });

  it('has diffs and commits of its own files', async () => {
    changeBoth();
    const diff = await call('git_diff', { revision: 'HEAD' }, { sandbox });
    expect(diff).toMatchObject({ ok: true, data: { repository: '../..', files: [{ path: 'src/a.txt', added: 1, removed: 1 }] } });
    expect(diff.ok && diff.output).toContain('+++ b/src/a.txt');
    commitAll(top, 'second');
    const show = await call('git_show', {}, { sandbox });
    expect(show).toMatchObject({ ok: true, data: { message: 'second', files: [{ path: 'new.txt' }, { path: 'src/a.txt' }] } });
    expect(show.ok && show.output).toContain('+++ b/src/a.txt');
    for (const shown of [diff, show]) expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${SECRET}|packages/b`, 'u'));
    // A control: from the top both are there.
    expect(JSON.stringify(await call('git_show', {}, { sandbox, workspace: top }))).toContain(SECRET);
  });

  it('has the history, the lines and the contents of its own files', async () => {
    write(top, { 'packages/b/secret.txt': 'other\n' });
    commitAll(top, 'beside');
    write(top, { 'packages/a/src/a.txt': 'one\ntwo\n' });
    commitAll(top, 'within');
    expect(await call('git_log', { files: true }, { sandbox })).toMatchObject({
      ok: true,
      data: {
        commits: [
          { message: 'within', files: [{ path: 'src/a.txt' }] },
          { message: 'first', files: [{ path: 'src/a.txt' }] },
        ],
      },
    });
    expect(await call('git_log', { path: 'src/a.txt', limit: 1 }, { sandbox })).toMatchObject({
      ok: true,
      data: { commits: [{ message: 'within' }] },
    });
    expect(await call('git_blame', { path: 'src/a.txt' }, { sandbox })).toMatchObject({
      ok: true,
      data: { lines: [{ text: 'one' }, { text: 'two' }] },
    });
    expect(await call('git_show', { revision: 'HEAD~2:src/a.txt' }, { sandbox })).toMatchObject({ ok: true, data: { content: 'one\n' } });
    expect(await call('git_show', { revision: 'HEAD', path: '.' }, { sandbox })).toMatchObject({
      ok: true,
      data: { type: 'folder', content: 'src/\n' },
    });
  });
});

describe('what is beside the workspace', () => {
  it.each([
    ['git_show', { revision: 'HEAD', path: '../b/secret.txt' }],
    ['git_show', { revision: 'HEAD:packages/b/secret.txt' }],
    ['git_show', { revision: 'HEAD:../b/secret.txt' }],
    ['git_show', { revision: 'HEAD:root.txt' }],
    ['git_show', { revision: 'HEAD', path: 'link/secret.txt' }],
    ['git_diff', { revision: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', paths: ['../b'] }],
    ['git_diff', { paths: ['src', ':(top)packages/b'], revision: 'HEAD~1' }],
    ['git_diff', { path: ':/packages/b', revision: 'HEAD~1' }],
    ['git_log', { path: '../b', files: true }],
    ['git_log', { path: 'link', files: true }],
    ['git_blame', { path: '../b/secret.txt' }],
    ['git_blame', { path: 'link/secret.txt' }],
    ['git_status', { path: '../b' }],
    ['read_file', { path: '../b/secret.txt' }],
    ['read_file', { path: '../../.git/config' }],
    ['read_file', { path: `${'x/'.repeat(3)}../../../../../.git/config` }],
  ])('%s %j does not show it', async (tool, input) => {
    symlinkSync('../b', join(workspace, 'link'));
    write(top, { 'packages/b/secret.txt': `${SECRET} again\n` });
    commitAll(top, 'second');
    write(top, { 'packages/b/secret.txt': `${SECRET} now\n` });
    expect(JSON.stringify(await call(tool, input))).not.toMatch(new RegExp(`${SECRET}|repositoryformatversion`, 'u'));
  });

  it('is not told of by a file that was moved here from there', async () => {
    renameSync(join(top, 'packages/b/secret.txt'), join(workspace, 'moved.txt'));
    git(top, 'add', '-A');
    expect(await call('git_status')).toMatchObject({ ok: true, data: { staged: [{ path: 'moved.txt', status: 'added' }] } });
    expect(JSON.stringify(await call('git_diff', { staged: true }))).not.toContain('packages/b');
  });

  it('has orders for git that are not obeyed', async () => {
    const proof = join(base, 'ran');
    writeFileSync(join(top, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    git(top, 'config', 'core.fsmonitor', `touch ${proof};false`);
    git(top, 'config', 'diff.external', `touch ${proof}`);
    changeBoth();
    rmSync(proof, { force: true });
    for (const tool of ['git_status', 'git_diff', 'git_log', 'git_show']) expect(await call(tool)).toMatchObject({ ok: true });
    expect(existsSync(proof)).toBe(false);
    // A control: git itself obeys.
    git(top, 'status');
    expect(existsSync(proof)).toBe(true);
  });
});

describe('which repository is used', () => {
  it('is that of a linked worktree, too', async () => {
    git(top, 'worktree', 'add', '-q', join(base, 'linked'), '-b', 'topic');
    const linked = join(base, 'linked/packages/a');
    write(linked, { 'src/a.txt': 'two\n' });
    expect(await call('git_status', {}, { workspace: linked })).toMatchObject({
      ok: true,
      data: { branch: 'topic', unstaged: [{ path: 'src/a.txt' }] },
    });
  });

  it('is the own one first, and one of its folders before', async () => {
    initRepository(join(workspace, 'nested'), { 'n.txt': 'n' });
    expect(await call('git_log', { path: 'nested' })).toMatchObject({ ok: true, data: { repository: 'nested' } });
    expect(await call('git_diff', { paths: ['src', 'nested'] })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    initRepository(workspace, { 'own.txt': 'own' });
    expect(await call('git_log')).toMatchObject({ ok: true, data: { repository: '.', commits: [{ message: 'first' }] } });
  });

  it('is none that leads elsewhere', async () => {
    initRepository(join(base, 'private'), { 'a/secret.txt': SECRET });
    mkdirSync(join(base, 'planted/a'), { recursive: true });
    writeFileSync(join(base, 'planted/.git'), `gitdir: ${join(base, 'private/.git')}\n`);
    expect(await call('git_log', {}, { workspace: join(base, 'planted/a') })).toMatchObject({ ok: false, error: { code: 'denied' } });
  });

  it('is found above, though not above a home', () => {
    expect(topAbove(workspace)).toBe(top);
    expect(topAbove(top)).toBeUndefined();
    const home = process.env['HOME'];
    process.env['HOME'] = top;
    try {
      expect(topAbove(workspace)).toBeUndefined();
    } finally {
      process.env['HOME'] = home;
    }
  });
});
