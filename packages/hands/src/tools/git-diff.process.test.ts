import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listProcesses, readProcessFile } from '../process/process-table.ts';
import { commitAll, git, initRepository, tryGit, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const diff = (input: Record<string, unknown> = {}): ReturnType<TemporaryHands['hands']['call']> => temporary.hands.call('git_diff', input);

it('gives the same patch as git, and the files in data', async () => {
  initRepository(temporary.folder, { 'a.txt': 'one\ntwo\n', bin: Uint8Array.of(0, 1), old: 'a long enough text to be found again\n' });
  write(temporary.folder, { 'a.txt': 'one\n2\nthree\n', bin: Uint8Array.of(0, 2) });
  renameSync(temporary.at('old'), temporary.at('new name'));
  const plain = git(temporary.folder, 'diff');
  expect(await diff()).toMatchObject({ ok: true, output: expect.stringContaining(plain), data: { patch: `${plain}\n`, totals: { files: 3 } } });
  git(temporary.folder, 'add', '-A');
  const result = await diff({ staged: true });
  expect(result).toMatchObject({
    ok: true,
    data: {
      files: [
        { path: 'a.txt', status: 'modified', added: 2, removed: 1, binary: false },
        { path: 'bin', status: 'modified', added: null, removed: null, binary: true },
        { path: 'new name', from: 'old', status: 'renamed', added: 0, removed: 0, binary: false },
      ],
      totals: { files: 3, added: 2, removed: 1 },
      complete: true,
    },
  });
  const stat = await diff({ staged: true, stat: true });
  expect(stat.ok && stat.output).toBe('[3 files, +2 -1.]\nM +2 -1 a.txt\nM binary bin\nR +0 -0 old -> new name\n');
  expect(await diff()).toMatchObject({ ok: true, output: '[no changes.]', data: { files: [], patch: '' } });
});

it('compares revisions, and narrows to paths', async () => {
  initRepository(temporary.folder, { a: '1\n', b: '1\n', 'dir/c': '1\n' });
  write(temporary.folder, { a: '2\n', b: '2\n', 'dir/c': '2\n' });
  commitAll(temporary.folder, 'second');
  for (const revision of ['HEAD~1', 'HEAD~1..HEAD', 'main~1...main']) {
    expect(await diff({ revision })).toMatchObject({ ok: true, data: { totals: { files: 3, added: 3, removed: 3 } } });
    expect(await diff({ revision, paths: ['a', './dir'] })).toMatchObject({ ok: true, data: { files: [{ path: 'a' }, { path: 'dir/c' }] } });
    expect(await diff({ revision, path: temporary.at('b') })).toMatchObject({ ok: true, data: { files: [{ path: 'b' }] } });
  }
});

it('shows what is staged before the first commit', async () => {
  initRepository(temporary.folder);
  write(temporary.folder, { a: '1\n' });
  git(temporary.folder, 'add', 'a');
  expect(await diff({ staged: true })).toMatchObject({ ok: true, data: { files: [{ path: 'a', status: 'added', added: 1 }] } });
  expect(await diff({ revision: 'HEAD' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

it('shows a conflict', async () => {
  initRepository(temporary.folder, { a: 'base\n', b: '1\n' });
  git(temporary.folder, 'checkout', '-q', '-b', 'other');
  write(temporary.folder, { a: 'other\n' });
  commitAll(temporary.folder, 'other');
  git(temporary.folder, 'checkout', '-q', 'main');
  write(temporary.folder, { a: 'mine\n' });
  commitAll(temporary.folder, 'mine');
  tryGit(temporary.folder, 'merge', 'other');
  write(temporary.folder, { b: '2\n' });
  const result = await diff();
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('++<<<<<<< HEAD') });
  expect(result).toMatchObject({
    data: {
      files: expect.arrayContaining([
        { path: 'a', status: 'unmerged', added: null, removed: null, binary: false },
        { path: 'b', status: 'modified', added: 1, removed: 1, binary: false },
      ]),
    },
  });
});

it('keeps odd names and bytes apart from its own format', async () => {
  initRepository(temporary.folder, { 'tab\tname': '1\n', 'line\nname': '1\n', '-dash': '1\n', ':100644 x': '1\n' });
  const bytes = Buffer.concat([Buffer.from(`${temporary.folder}/bytes-`), Buffer.from([0xff])]);
  writeFileSync(bytes, '1\n');
  commitAll(temporary.folder, 'bytes');
  write(temporary.folder, { 'tab\tname': '2\n', 'line\nname': '2\n', '-dash': '2\n', ':100644 x': '2\n' });
  writeFileSync(bytes, '2\n');
  const result = await diff();
  const files = ['-dash', ':100644 x', 'bytes-\\xff', 'line\\x0aname', 'tab\\x09name'];
  expect(result).toMatchObject({ ok: true, data: { files: files.map((path) => ({ path, added: 1, removed: 1 })), totals: { files: 5, added: 5 } } });
  expect(await diff({ path: ':100644 x' })).toMatchObject({ ok: true, data: { files: [{ path: ':100644 x' }] } });
});

it('bounds a long patch, and keeps the whole to be read', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  initRepository(temporary.folder, { a: lines.join('') });
  write(temporary.folder, { a: lines.map((line) => `new ${line}`).join('') });
  const result = await diff();
  expect(result).toMatchObject({
    ok: true,
    meta: { truncation: { spill: expect.any(String) } },
    data: { totals: { added: 20_000, removed: 20_000 } },
  });
  expect(result.ok && result.output.length).toBeLessThan(60_000);
});

it('does not see a deleted folder as missing', async () => {
  initRepository(temporary.folder, { 'gone/deep/a': '1\n', b: '1\n' });
  rmSync(temporary.at('gone'), { recursive: true });
  expect(await diff({ path: 'gone/deep' })).toMatchObject({ ok: true, data: { files: [{ path: 'gone/deep/a', status: 'deleted' }] } });
});

it.each([
  ['--output=../outside/x', 'invalid_arguments'],
  ['main..--output=../outside/x', 'invalid_arguments'],
  ['--no-index', 'invalid_arguments'],
  ['-O../outside/x', 'invalid_arguments'],
  ['--ext-diff', 'invalid_arguments'],
  ['no-such-branch', 'not_found'],
  ['a\0b', 'invalid_arguments'],
  ['', 'invalid_arguments'],
])('refuses the revision %j', async (revision, code) => {
  initRepository(temporary.folder, { a: '1\n' });
  expect(await diff({ revision })).toMatchObject({ ok: false, error: { code } });
});

it.each([['/etc/passwd'], ['../outside/x'], ['a/../../outside']])('refuses the path %s', async (path) => {
  initRepository(temporary.folder, { a: '1\n' });
  expect(await diff({ path })).toMatchObject({ ok: false, error: { code: 'outside_workspace' } });
  expect(await diff({ paths: ['a', path] })).toMatchObject({ ok: false, error: { code: 'outside_workspace' } });
});

/** Stops a `git diff` that this process started, as soon as one runs, and so keeps it from ending. */
async function stopGit(): Promise<void> {
  for (;;) {
    const entries = new Map(listProcesses().map((entry) => [entry.pid, entry]));
    const isOwn = (pid: number): boolean => pid === process.pid || (entries.has(pid) && isOwn(entries.get(pid)?.parent ?? 0));
    // One that has ended, and is not waited for yet, cannot be stopped.
    const runs = (pid: number): boolean =>
      /\(git\) [^Z]/u.test(readProcessFile(pid, 'stat') ?? '') && readProcessFile(pid, 'cmdline')?.split('\0').includes('diff') === true;
    const found = [...entries.keys()].find((pid) => pid !== process.pid && runs(pid) && isOwn(pid));
    if (found !== undefined) return void process.kill(found, 'SIGSTOP');
    await setImmediate();
  }
}

it('does not say that nothing changed where the time was up', async () => {
  // Large enough that git still runs when it is found.
  const lines = (text: string): string => Array.from({ length: 400_000 }, (_, index) => `${text} ${index}\n`).join('');
  initRepository(temporary.folder, { a: lines('one') });
  write(temporary.folder, { a: lines('two') });
  const [result] = await Promise.all([temporary.hands.call('git_diff', {}, { timeoutMs: 4_000 }), stopGit()]);
  expect(result).toMatchObject({ ok: true, data: { complete: false }, output: expect.stringContaining('until the deadline came: this is a part') });
});

it('names a pipe that git would wait for, at once', async () => {
  initRepository(temporary.folder, { a: '1\n' });
  execFileSync('mkfifo', [temporary.at('.gitattributes')]);
  write(temporary.folder, { a: '2\n' });
  expect(await diff()).toMatchObject({
    ok: false,
    error: { code: 'wrong_type', message: 'git cannot read .gitattributes: it is not a regular file.' },
  });
});

describe('content that the policy keeps back', () => {
  const secret = 'TOKEN=hunter2hunter2\n';
  const change = (): void => {
    initRepository(temporary.folder, { '.env': 'A=1\n', 'app.ts': 'one\n', 'sub/.env.local': 'B=1\n' });
    write(temporary.folder, { '.env': secret, 'app.ts': 'two\n', 'sub/.env.local': secret });
  };

  it('is left out of a patch, and said so, while the rest is shown', async () => {
    change();
    for (const input of [{}, { path: '.' }, { paths: ['sub', 'app.ts'] }]) {
      const result = await diff(input);
      expect(JSON.stringify(result)).not.toContain('hunter2');
      expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/withheld by the policy[^]*\+two/u) });
    }
    expect(await diff()).toMatchObject({ data: { totals: { files: 3 }, files: [{ path: '.env' }, { path: 'app.ts' }, { path: 'sub/.env.local' }] } });
    // The control: plain git shows it.
    expect(git(temporary.folder, 'diff')).toContain('hunter2');
  });

  it('stays out under the name it was given, and between commits', async () => {
    change();
    commitAll(temporary.folder, 'secrets');
    renameSync(temporary.at('.env'), temporary.at('plain.txt'));
    write(temporary.folder, { 'plain.txt': `${secret}C=3\n`, 'app.ts': 'three\n' });
    git(temporary.folder, 'add', '-A');
    for (const input of [{ staged: true }, { revision: 'HEAD~1..HEAD' }, { revision: 'HEAD^!' }]) {
      const result = await diff(input);
      expect(JSON.stringify(result)).not.toContain('hunter2');
      expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/withheld by the policy/u) });
    }
  });

  it('is not reached by naming contents or folders themselves', async () => {
    change();
    commitAll(temporary.folder, 'secrets');
    const blobs = ['HEAD~1', 'HEAD'].map((side) => git(temporary.folder, 'rev-parse', `${side}:.env`).trim());
    const trees = ['HEAD~1', 'HEAD'].map((side) => git(temporary.folder, 'rev-parse', `${side}:sub`).trim());
    expect(git(temporary.folder, 'diff', `${blobs[0]}..${blobs[1]}`)).toContain('hunter2');
    for (const revision of ['HEAD~1:.env..HEAD:.env', 'HEAD~1:sub..HEAD:sub', blobs.join('..'), trees.join('..'), `${trees[0]}`, ':0:.env']) {
      const result = await diff({ revision });
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain('hunter2');
    }
  });

  it('is shown where its path was named and allowed', async () => {
    change();
    expect(await diff({ path: '.env' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    await using open = await temporaryHands({}, { policy: { allow: ['read(.env)'] } });
    initRepository(open.folder, { '.env': 'A=1\n' });
    write(open.folder, { '.env': secret });
    expect(await open.hands.call('git_diff', {})).toMatchObject({ ok: true, output: expect.stringContaining('hunter2') });
  });
});
