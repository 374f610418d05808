import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy as setUp, shownBy as shown } from '../testing/branches-kept-by.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';
import { branchWork } from '../runtime/branch-facts.ts';
import { IS_CLONE } from './branch-state.ts';
import { isReleased } from './hold-branch.ts';

const stateFolderOf = ({ folder }: { readonly folder: string }): string => join(folder, '../state');

describe.skipIf((await findBubblewrap()) === undefined)('the way in which a branch is kept', { timeout: 60_000 }, () => {
  it('is the best one that works, chosen when the branch is first used, and says why the better ones do not', async () => {
    await using bench = await setUp('', { a: 'a' });
    for (const name of ['one', 'two', 'three']) await bench.hands.createBranch(name);
    {
      using held = await bench.hold('one');
      expect([held.backEnd, held.tried]).toEqual(['overlay', []]);
    }
    // The kernel refuses an overlay without its folder.
    rmdirSync(bench.stored('two').folder.work);
    {
      using held = await bench.hold('two');
      expect(held.backEnd).not.toBe('overlay');
      expect(held.tried[0]).toEqual({ name: 'overlay', problem: 'No such file or directory' });
    }
    rmdirSync(bench.stored('three').folder.work);
    await expect(bench.hold('three', { backEnd: 'overlay' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The branch cannot be mounted: overlay: No such file or directory.',
    });
  });

  it('is a folder of its own where there are no namespaces, in which tools, commands and records are those of the branch', async () => {
    await using bench = await setUp('folder', { a: 'a', 'd/x': 'x' });
    const { hands, folder } = bench;
    await hands.createBranch('one');
    using held = await bench.hold('one');
    const { clone, state } = bench.stored('one').folder;
    expect([held.stateFolder, held.path(folder), held.path(join(folder, 'd'))]).toEqual([state, clone, join(clone, 'd')]);
    await using branch = await hands.branch('one', { create: false });
    const written = await branch.call('write_file', { path: 'a', content: 'branch' });
    expect(written).toMatchObject({ ok: true });
    // By its name in the workspace, too.
    expect(await branch.call('edit_file', { path: join(folder, 'd/x'), edits: [{ old_text: 'x', new_text: 'y' }] })).toMatchObject({ ok: true });
    expect(await branch.call('run_command', { command: 'cat a d/x; echo b > b; pwd' })).toMatchObject({
      ok: true,
      output: `[exit code 0]\nbranchy${clone}\n`,
    });
    expect([bench.text('a'), bench.text('d/x'), existsSync(bench.at('b'))]).toEqual(['a', 'x', false]);
    expect(['a', 'd/x', 'b'].map((name) => readFileSync(join(clone, name), 'utf8'))).toEqual(['branch', 'y', 'b\n']);
    // Seen from outside, the calls are those of the branch.
    expect(branchWork(stateFolderOf(bench), bench.stored('one')).sessions).toMatchObject([{ calls: 3 }]);
    expect(await branch.undo({ call: written.meta.callId })).toMatchObject({ ok: true });
    expect(readFileSync(join(clone, 'a'), 'utf8')).toBe('a');
    // Someone else who uses it finds the same place.
    using second = await bench.hold('one');
    expect(second.stateFolder).toBe(state);
  });

  it('is a folder of its own where the kernel gives no namespaces', async () => {
    await using bench = await setUp('', { a: 'a' });
    await bench.hands.createBranch('one');
    const { folder, record } = bench.stored('one');
    const stateFolder = join(bench.folder, '../state');
    const script = `
      const { BranchFolder } = await import(${sourceUrl('branch/branch-folder.ts')});
      const { holdBranch } = await import(${sourceUrl('branch/hold-branch.ts')});
      const { FileLocks } = await import(${sourceUrl('workspace/file-lock.ts')});
      const parts = { stateFolder: ${JSON.stringify(stateFolder)}, locks: new FileLocks(${JSON.stringify(join(stateFolder, 'locks'))}), signal: AbortSignal.timeout(60_000) };
      using held = await holdBranch(new BranchFolder(${JSON.stringify(folder.path)}), ${JSON.stringify(record)}, parts);
      console.log(JSON.stringify([held.backEnd, held.path('/') !== '/', held.tried.map(({ name }) => name)]));`;
    // In a user namespace in which there are no more of them, without the rights to make others.
    const without = 'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -all --inh-caps -all --no-new-privs "$@"';
    const words = ['--user', '--map-root-user', '/bin/sh', '-ec', without, 'sh', process.execPath, ...SCRIPT_OPTIONS, script];
    expect(JSON.parse(execFileSync('unshare', words, { encoding: 'utf8' }))).toEqual(['folder', false, ['overlay', 'reflink', 'copy']]);
  });

  it.each(['copy', 'overlay'] as const)('is made anew after a kill while a clone was made, as %s', async (backEnd) => {
    await using bench = await setUp(backEnd, { a: 'a' });
    await bench.hands.createBranch('one');
    const { folder } = bench.stored('one');
    mkdirSync(`${folder.clone}.new`);
    writeFileSync(`${folder.clone}.new/half`, '');
    for (const path of [folder.manifest, join(folder.state, IS_CLONE)]) writeFileSync(path, '');
    expect(bench.count('one')).toBe(0);
    expect(await bench.run('one', 'ls -A; echo 1 > a')).toBe('a\n');
    expect(existsSync(join(folder.state, IS_CLONE))).toBe(backEnd === 'copy');
    expect(await shown(bench, 'one')).toEqual(['changed a']);
  });

  it('stays while the branch has changes', async () => {
    await using bench = await setUp('', { a: 'a' });
    for (const name of ['one', 'two']) await bench.hands.createBranch(name);
    for (const [name, backEnd] of [
      ['one', 'overlay'],
      ['two', 'copy'],
    ] as const) {
      vi.stubEnv('SYNAPSE_BRANCHES', backEnd);
      await bench.run(name, 'echo 1 > a');
      vi.stubEnv('SYNAPSE_BRANCHES', backEnd === 'copy' ? 'overlay' : 'copy');
      expect(await bench.run(name, 'cat a')).toBe('1\n');
      expect([name, existsSync(bench.stored(name).folder.clone)]).toEqual([name, backEnd === 'copy']);
    }
    vi.stubEnv('SYNAPSE_BRANCHES', 'copy');
    await bench.hands.createBranch('three', { from: 'one' });
    await expect(bench.run('three', 'true')).rejects.toMatchObject({
      message: expect.stringContaining('the branch one, on which it is based, is an overlay') as string,
    });
  });

  it('is a clone on a clone, of which an overlay would not show the changes', async () => {
    await using bench = await setUp('copy', { a: 'a' });
    await bench.hands.createBranch('one');
    await bench.run('one', 'echo 1 > a');
    await bench.hands.createBranch('two', { from: 'one' });
    vi.stubEnv('SYNAPSE_BRANCHES', '');
    expect(await bench.run('two', 'cat a')).toBe('1\n');
    expect(existsSync(bench.stored('two').folder.clone)).toBe(true);
  });

  it('leaves nothing of a clone that could not be made, and none is made for an overlay', async () => {
    await using bench = await setUp('copy', { a: 'a' });
    await bench.hands.createBranch('one');
    const { folder } = bench.stored('one');
    // What the list of its files would replace.
    mkdirSync(join(folder.manifest, 'in the way'), { recursive: true });
    await expect(bench.run('one', 'true')).rejects.toMatchObject({ message: expect.stringContaining('The workspace cannot be copied') as string });
    expect([folder.clone, `${folder.clone}.new`].map((path) => existsSync(path))).toEqual([false, false]);
    rmSync(folder.manifest, { recursive: true });
    mkdirSync(`${folder.clone}.new/half`, { recursive: true });
    using held = await bench.hold('one', { backEnd: 'overlay' });
    expect(held.backEnd).toBe('overlay');
    expect(existsSync(`${folder.clone}.new`)).toBe(false);
  });

  it.each([
    ['entries', { entries: 2, bytes: 1000 }, 'the workspace has more than 2 entries'],
    ['bytes', { entries: 100, bytes: 5 }, 'the workspace has 6B, and up to 5B are copied'],
  ])('is no copy of a workspace with more than so many %s', async (_, cloneLimits, problem) => {
    await using bench = await setUp('copy', { a: 'aa', b: 'bb', c: 'cc' });
    await bench.hands.createBranch('one');
    await expect(bench.hold('one', { cloneLimits })).rejects.toMatchObject({
      code: 'unavailable',
      message: `The branch cannot be mounted: copy: ${problem}.`,
    });
    expect(existsSync(bench.stored('one').folder.clone)).toBe(false);
    using held = await bench.hold('one', { cloneLimits: { entries: 3, bytes: 6 } });
    expect(held.backEnd).toBe('copy');
  });

  // The console does so every two seconds.
  it('is mounted also while another process looks whether the branch is in use', async () => {
    await using bench = await setUp('', { a: 'a' });
    await bench.hands.createBranch('one');
    const { folder } = bench.stored('one');
    const script = `
      const { BranchFolder } = await import(${sourceUrl('branch/branch-folder.ts')});
      const { isHeld } = await import(${sourceUrl('branch/hold-branch.ts')});
      const folder = new BranchFolder(${JSON.stringify(folder.path)});
      console.log('looks');
      for (;;) isHeld(folder);`;
    using looker = spawn(process.execPath, [...SCRIPT_OPTIONS, script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(looker.stdout, 'data');
    for (let round = 0; round < 20; round += 1) {
      expect(await bench.run('one', 'cat a')).toBe('a');
      await expect.poll(() => existsSync(folder.holder), { interval: 5 }).toBe(false);
    }
  });

  it('works in the state that a version before made, which had folders in place of links, and after the state folder has moved', async () => {
    await using bench = await setUp('overlay', { a: 'a' });
    await bench.hands.createBranch('one');
    const { state } = bench.stored('one').folder;
    rmSync(join(state, 'locks'));
    mkdirSync(join(state, 'locks'));
    expect(await bench.run('one', 'cat a')).toBe('a');
    expect(readlinkSync(join(state, 'locks'))).toBe('main/locks');
    await isReleased(bench.stored('one').folder, AbortSignal.timeout(60_000));
    vi.stubEnv('SYNAPSE_BRANCHES', 'folder');
    rmdirSync(join(state, 'main'));
    symlinkSync('/where/it/was', join(state, 'main'));
    await bench.write('one', 'a', 'branch');
    expect([await bench.run('one', 'cat a'), readlinkSync(join(state, 'main'))]).toEqual(['branch', stateFolderOf(bench)]);
  });

  it('is one of those that there are', async () => {
    await using bench = await setUp('', { a: 'a' });
    await bench.hands.createBranch('one');
    vi.stubEnv('SYNAPSE_BRANCHES', 'hope');
    await expect(bench.hold('one')).rejects.toMatchObject({ code: 'invalid_arguments', message: 'SYNAPSE_BRANCHES has an unknown value: "hope"' });
  });

  it('is a clone of the workspace as it is when the branch is first used, and again after all of it was applied', async () => {
    await using bench = await setUp('copy', { a: 'a', b: 'b' });
    const { hands, run, at } = bench;
    await hands.createBranch('one');
    writeFileSync(at('a'), 'before');
    expect(await run('one', 'cat a')).toBe('before');
    writeFileSync(at('a'), 'after');
    expect(await run('one', 'cat a; echo 1 > b')).toBe('before');
    expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1, left: 0 } });
    expect([bench.text('a'), await run('one', 'cat a b')]).toEqual(['after', 'after1\n']);
  });
});
