import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { BranchStore, type StoredBranch } from './branch-store.ts';
import { countChanges } from './count-changes.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { outlivedHolder } from './outlived-holder.ts';
import { holdBranch, isHeld, isReleased, type HeldBranch } from './hold-branch.ts';

const works = (await findBubblewrap()) !== undefined;
const { signal } = new AbortController();

/** A workspace with a branch. */
async function setUp(name = 'one') {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-branch-')));
  const [root, stateFolder] = [join(base, 'work, space:1'), join(base, 'state')];
  for (const path of [root, stateFolder]) mkdirSync(path);
  writeFileSync(join(root, 'a'), 'old');
  const store = new BranchStore(stateFolder, root);
  const branch = await store.create(name);
  const hold = async ({ folder, record }: StoredBranch = branch): Promise<HeldBranch> => {
    const held = await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
    return held;
  };
  const run = (held: HeldBranch, script: string): string => {
    const [program, ...words] = held.enter(['/bin/sh', '-c', script], root);
    return execFileSync(program, words, { encoding: 'utf8' });
  };
  return { root, stateFolder, store, branch, hold, run, at: (path: string) => join(root, path) };
}

const holderOf = ({ folder }: StoredBranch): number => Number(readFileSync(folder.holder, 'utf8').split(' ')[0]);

describe.skipIf(!works)('a branch that is held', () => {
  it('shows the workspace under its own path, and keeps what is changed in it to itself', async () => {
    const { root, branch, hold, run, at } = await setUp();
    using held = await hold();
    expect(run(held, 'pwd; cat a; echo new > a; echo b > b; mkdir d; ls -A')).toBe(`${root}\nolda\nb\nd\n`);
    expect([readFileSync(at('a'), 'utf8'), existsSync(at('b'))]).toEqual(['old', false]);
    expect(readFileSync(`${held.path(root)}/a`, 'utf8')).toBe('new\n');
    expect(countChanges(branch.folder)).toBe(3);
  });

  it('is outside the workspace, and the workspace outside it, whatever link leads there: the names are the same', async () => {
    const { root, hold, run, at } = await setUp();
    using held = await hold();
    run(held, 'mkdir d; echo new > d/a');
    mkdirSync(at('d'));
    writeFileSync(at('d/a'), 'old');
    symlinkSync(`${held.path(root)}/d`, at('link'));
    symlinkSync(`${held.path(root)}/d/a`, at('file'));
    // The name that the kernel reports is the one that was asked for.
    symlinkSync(`${held.path(root)}/d/e`, at('d/e'));
    run(held, 'mkdir d/e; echo new > d/e/a');
    using confinement = new HandleConfinement(root);
    for (const path of [['file'], ['link', 'a'], ['d', 'e', 'a'], ['link']])
      expect(() => confinement.openEntry(path), path.join('/')).toThrow(/leads out of the workspace/u);
    for (const path of [['link'], ['d', 'e']]) expect(() => confinement.openDirectory(path), path.join('/')).toThrow(/leads out of the workspace/u);
    // The control: a link that stays in the workspace.
    symlinkSync('d/a', at('own'));
    using own = confinement.openEntry(['own']);
    expect(own.location).toEqual(['d', 'a']);
  });

  it('has a state of its own, with what is shared', async () => {
    const { stateFolder, hold, run } = await setUp();
    mkdirSync(join(stateFolder, 'journal'));
    writeFileSync(join(stateFolder, 'journal', 'x'), '');
    writeFileSync(join(stateFolder, 'grants', 'g'), '');
    using held = await hold();
    expect(run(held, `ls ${stateFolder}/grants; ls ${stateFolder}/journal 2>&1 || :; touch ${stateFolder}/grants/made ${stateFolder}/own`)).toMatch(
      /^g\nls: .*No such file/u,
    );
    expect([existsSync(join(stateFolder, 'grants', 'made')), existsSync(join(stateFolder, 'own'))]).toEqual([true, false]);
  });

  it('is mounted once for all users, until the last has ended', async () => {
    const { branch, hold, run } = await setUp();
    const first = await hold();
    const pid = holderOf(branch);
    {
      using second = await hold();
      expect([holderOf(branch), run(second, 'echo 1 > n')]).toEqual([pid, '']);
    }
    expect(run(first, 'cat n')).toBe('1\n');
    expect(isHeld(branch.folder)).toBe(true);
    first[Symbol.dispose]();
    expect([await isReleased(branch.folder, signal), isHeld(branch.folder)]).toEqual([true, false]);
    using again = await hold();
    expect(run(again, 'cat n')).toBe('1\n');
  });

  it('stays for a process that inherited it, and ends with its kill', async () => {
    const { branch, hold } = await setUp();
    const held = await hold();
    const child = spawn('sleep', ['1000'], { stdio: ['ignore', 'ignore', 'ignore', held.descriptor] });
    held[Symbol.dispose]();
    expect(isHeld(branch.folder)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await isReleased(branch.folder, signal)).toBe(true);
  });

  it('is mounted again after a kill of what held it, with all that was changed', async () => {
    const { branch, hold, run } = await setUp();
    const killed = await hold();
    run(killed, 'echo kept > n; rm a');
    process.kill(holderOf(branch), 'SIGKILL');
    expect(await isReleased(branch.folder, signal)).toBe(true);
    using again = await hold();
    expect(run(again, 'cat n; ls')).toBe('kept\nn\n');
    killed[Symbol.dispose]();
  });

  it('is not mounted a second time while a process works in it that what held it has not outlived, also behind a sandbox', async () => {
    const { branch, root, hold, run } = await setUp();
    const killed = await hold();
    for (const [index, wrap] of [[], ['bwrap', '--bind', '/', '/', '--']].entries()) {
      const sleep = index === 0 ? `${process.execPath} -e "setInterval(() => {}, 1000)"` : 'sleep 1000';
      const sleeping = ['sh', '-c', `'touch started${index}; exec ${sleep}'`];
      const [program, ...words] = killed.enter(['/bin/sh', '-c', ['exec', ...wrap, ...sleeping].join(' ')], root);
      spawn(program, words, { stdio: 'ignore' });
    }
    onTestFinished(() => outlivedHolder(branch.folder).forEach(({ pid }) => process.kill(pid, 'SIGKILL')));
    await expect.poll(() => run(killed, 'ls')).toBe('a\nstarted0\nstarted1\n');
    process.kill(holderOf(branch), 'SIGKILL');
    await expect.poll(() => outlivedHolder(branch.folder)).not.toEqual([]);
    await expect(hold()).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/^What held the branch one was killed, and process \d+ \(node\) still works in it\.$/u) as string,
    });
    expect([isHeld(branch.folder), await isReleased(branch.folder, signal)]).toEqual([true, false]);
    for (const { pid } of outlivedHolder(branch.folder)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => outlivedHolder(branch.folder)).toEqual([]);
    using again = await hold();
    expect(run(again, 'cat a')).toBe('old');
    killed[Symbol.dispose]();
  });

  it('is mounted anew where other things have the names of its pipe and its holder, or one reads the pipe', async () => {
    const { branch, hold, run } = await setUp();
    const { held: pipe, holder } = branch.folder;
    writeFileSync(pipe, '');
    writeFileSync(holder, 'nonsense');
    expect(isHeld(branch.folder)).toBe(false);
    const first = await hold();
    expect(run(first, 'cat a')).toBe('old');
    process.kill(holderOf(branch), 'SIGKILL');
    expect(await isReleased(branch.folder, signal)).toBe(true);
    first[Symbol.dispose]();
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    expect(isHeld(branch.folder)).toBe(false);
    {
      using held = await hold();
      expect(run(held, 'cat a')).toBe('old');
    }
    expect(await isReleased(branch.folder, signal)).toBe(true);
    mkdirSync(holder);
    await expect(hold()).rejects.toMatchObject({ code: 'unavailable', message: 'The branch cannot be mounted: holder: Is a directory.' });
    expect(isHeld(branch.folder)).toBe(false);
  });

  it('is held by one process, however many begin at once', async () => {
    const { branch, hold, run } = await setUp();
    const all = await Promise.all(Array.from({ length: 8 }, async () => await hold()));
    expect(new Set(all.map((held) => held.path('/'))).size).toBe(1);
    for (const held of all) held[Symbol.dispose]();
    // Some come while it ends.
    for (let round = 0; round < 20; round += 1) {
      using held = await hold();
      expect(run(held, 'cat a')).toBe('old');
    }
    expect(await isReleased(branch.folder, signal)).toBe(true);
  });

  it('shows what another branch changed, if it is based on that', async () => {
    const { store, hold, run } = await setUp();
    {
      using first = await hold();
      run(first, 'echo 1 > n; rm a');
    }
    const second = await store.create('two', 'one');
    using held = await hold(second);
    expect(run(held, 'cat n; ls; echo 2 > n')).toBe('1\nn\n');
    using first = await hold();
    expect(run(first, 'cat n')).toBe('1\n');
  });

  it('cannot be made where something is mounted over its workspace, and says why', async () => {
    const { root, hold, branch } = await setUp();
    rmSync(root, { recursive: true });
    await expect(hold()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('The branch cannot be mounted: ') as string });
    expect(isHeld(branch.folder)).toBe(false);
  });
});

it('has a name that is a folder, a word and a part of a git branch', async () => {
  const { store } = await setUp();
  for (const name of ['', '..', 'a..b', '-x', 'A', 'a/b', 'a.lock', 'auto', 'x'.repeat(70), 'a\nb']) {
    await expect(store.create(name)).rejects.toMatchObject({ code: 'invalid_arguments' });
  }
  await expect(store.create('one')).rejects.toMatchObject({ code: 'already_exists' });
  await expect(store.create('two', 'onee')).rejects.toMatchObject({ code: 'not_found', hint: 'Did you mean one?' });
  expect(store.list().map(({ record }) => record.name)).toEqual(['one']);
});

it('leaves nothing of a kill while branches are made and deleted: the next one removes it', async () => {
  const { store, branch } = await setUp();
  const folder = join(branch.folder.path, '..');
  const ended = spawn('true');
  await once(ended, 'close');
  const running = processIdentity().replace(' ', '-');
  for (const name of [`.new-${ended.pid}-1-aaaaaa`, `.gone-${ended.pid}-1-bbbbbb`, `.new-${running}-cccccc`])
    mkdirSync(join(folder, name, 'upper'), { recursive: true });
  await store.create('two');
  expect(readdirSync(folder).toSorted()).toEqual([`.new-${running}-cccccc`, 'one', 'two']);
  await store.remove(store.get('two'));
  expect(readdirSync(folder).toSorted()).toEqual([`.new-${running}-cccccc`, 'one']);
});

it('says so where its workspace was moved or deleted, and keeps what was changed', async () => {
  const { branch, hold, root } = await setUp();
  writeFileSync(join(branch.folder.upper, 'a'), 'new');
  renameSync(root, `${root}.moved`);
  await expect(hold()).rejects.toMatchObject({
    code: 'unavailable',
    message: `The branch cannot be mounted: its workspace is not there any more: ${root}`,
    hint: expect.stringContaining(branch.folder.upper) as string,
  });
  renameSync(`${root}.moved`, root);
  if (!works) return;
  using held = await hold();
  expect(readFileSync(`${held.path(root)}/a`, 'utf8')).toBe('new');
});

it('is listed beside a damaged neighbor, which says where its files are', async () => {
  const { store, branch } = await setUp();
  await store.create('two');
  writeFileSync(branch.folder.record, '{');
  expect(() => store.get('one')).toThrow(/record of a branch is damaged/u);
  expect([store.list().map(({ record }) => record.name), store.damaged()]).toEqual([['two'], ['one']]);
  chmodSync(branch.folder.upper, 0o700);
});
