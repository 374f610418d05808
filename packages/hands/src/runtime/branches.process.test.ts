import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BranchStore } from '../branch/branch-store.ts';
import { holdBranch, lockOf } from '../branch/hold-branch.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { initRepository } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';

const works = (await findBubblewrap()) !== undefined;
const { signal } = new AbortController();

/** Runs a script in a branch. */
async function inside({ folder }: TemporaryHands, name: string, script: string): Promise<string> {
  const stateFolder = join(folder, '../state');
  const stored = new BranchStore(stateFolder, folder).get(name);
  using held = await holdBranch(stored.folder, stored.record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
  const [program, ...words] = held.enter(['/bin/sh', '-ec', script], folder);
  return execFileSync(program, words, { encoding: 'utf8' });
}

const read = ({ at }: TemporaryHands, path: string): string => readFileSync(at(path), 'utf8');
const pathsOf = (changes: ReadonlyArray<{ readonly kind: string; readonly path: string }>): string[] =>
  changes.map(({ kind, path }) => `${kind} ${path}`);

describe.skipIf(!works)('branches', () => {
  // A person agreed to delete what was in it then.
  it('are not deleted with what was changed since the question, nor in place of one that was deleted meanwhile', async () => {
    await using bench = await temporaryHands({ a: 'old\n' });
    const { hands, folder } = bench;
    const stateFolder = join(folder, '../state');
    await hands.createBranch('one');
    await inside(bench, 'one', 'echo new > a; echo b > b');
    await expect(hands.dropBranch('one', { changes: 1 })).rejects.toMatchObject({ code: 'conflict' });
    const store = new BranchStore(stateFolder, folder);
    const stored = store.get('one');
    let dropped: Promise<unknown> | undefined;
    await new FileLocks(join(stateFolder, 'locks')).hold([lockOf(stored.folder)], signal, async () => {
      dropped = hands.dropBranch('one').catch((error: unknown) => error);
      await store.remove(stored);
      await store.create('one');
    });
    expect(await dropped).toMatchObject({ code: 'not_found' });
    expect(hands.branches()).toMatchObject([{ name: 'one' }]);
    await hands.dropBranch('one', { changes: 0 });
    expect(hands.branches()).toEqual([]);
  });

  it('are made, listed, looked at, applied and taken back as one change', async () => {
    await using bench = await temporaryHands({ a: 'old\n', gone: '', 'd/x': 'x' });
    const { hands } = bench;
    expect(await hands.createBranch('one')).toMatchObject({ name: 'one', from: null });
    await inside(bench, 'one', 'echo new > a; rm gone; mkdir -p e/f; echo y > e/f/y; chmod 600 d/x; ln -s a l');
    expect(read(bench, 'a')).toBe('old\n');
    const { changes } = await hands.showBranch('one');
    expect(pathsOf(changes).toSorted()).toEqual([
      'changed a',
      'changed d/x',
      'created e',
      'created e/f',
      'created e/f/y',
      'created l',
      'deleted gone',
    ]);
    const result = await hands.applyBranch('one');
    expect(result).toMatchObject({ ok: true, data: { applied: 5, conflicts: [], left: 0, undo: true } });
    expect([read(bench, 'a'), read(bench, 'e/f/y'), existsSync(bench.at('gone'))]).toEqual(['new\n', 'y\n', false]);
    expect((await hands.showBranch('one')).changes).toEqual([]);
    expect(await hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
    expect([read(bench, 'a'), readdirSync(bench.folder).toSorted()]).toEqual(['old\n', ['a', 'd', 'gone']]);
    expect(await hands.dropBranch('one')).toMatchObject({ name: 'one' });
    expect(hands.branches()).toEqual([]);
  });

  it('are applied exactly as they were shown, if that is asked for', async () => {
    await using bench = await temporaryHands({ a: 'old\n' });
    const { hands } = bench;
    await hands.createBranch('one');
    await inside(bench, 'one', 'echo new > a');
    const shown = await hands.showBranch('one');
    await inside(bench, 'one', 'echo other > a');
    const { fingerprint } = shown;
    expect(await hands.applyBranch('one', { fingerprint })).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: 'The branch one changed since it was shown; nothing was applied.' },
    });
    expect([read(bench, 'a'), pathsOf((await hands.showBranch('one')).changes)]).toEqual(['old\n', ['changed a']]);
    expect(await hands.applyBranch('one', { fingerprint: (await hands.showBranch('one')).fingerprint })).toMatchObject({
      ok: true,
      data: { applied: 1 },
    });
    expect(read(bench, 'a')).toBe('other\n');
  });

  it('stay while another one is based on them, and are not applied while that one is in use', async () => {
    await using bench = await temporaryHands({ a: 'a\n' });
    const { hands } = bench;
    await hands.createBranch('one');
    await inside(bench, 'one', 'echo 1 > a');
    await hands.createBranch('two', { from: 'one' });
    await hands.createBranch('three', { from: 'two' });
    await expect(hands.dropBranch('one')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('two is based on one') as string,
    });
    const stateFolder = join(bench.folder, '../state');
    const { folder, record } = new BranchStore(stateFolder, bench.folder).get('three');
    {
      using _ = await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
      expect(await hands.applyBranch('one')).toMatchObject({ ok: false, error: { code: 'busy', message: 'The branch three is in use.' } });
      await expect(hands.dropBranch('three')).rejects.toMatchObject({ code: 'busy' });
    }
    expect(await hands.applyBranch('one')).toMatchObject({ ok: true });
    for (const name of ['three', 'two', 'one']) await hands.dropBranch(name);
    expect(hands.branches()).toEqual([]);
  });

  it('are not used while one is applied or deleted: who comes then waits, and sees what became of it', async () => {
    await using bench = await temporaryHands({ a: 'a\n' });
    const { hands } = bench;
    await hands.createBranch('one');
    for (let round = 0; round < 5; round += 1) {
      await inside(bench, 'one', `echo ${round} > a; echo ${round} > b${round}`);
      const [applied, seen] = await Promise.all([hands.applyBranch('one'), inside(bench, 'one', `echo late > late${round}; cat a b${round}`)]);
      // Either came first.
      if (!applied.ok) expect(applied.error.code).toBe('busy');
      expect(seen).toBe(`${round}\n${round}\n`);
      expect(await inside(bench, 'one', `cat late${round} a`)).toBe(`late\n${round}\n`);
    }
    const [dropped, came] = await Promise.allSettled([hands.dropBranch('one'), inside(bench, 'one', 'echo late > late')]);
    if (dropped.status === 'rejected') expect(dropped.reason).toMatchObject({ code: 'busy' });
    if (came.status === 'rejected') expect(came.reason).toMatchObject({ code: 'not_found' });
    expect(hands.branches()).toHaveLength(dropped.status === 'fulfilled' ? 0 : 1);
  });

  it('keep what something else changed in the workspace since, and what was not chosen', async () => {
    await using bench = await temporaryHands({ a: 'a\n', b: 'b\n', c: 'c\n' });
    const { hands } = bench;
    await hands.createBranch('one');
    await inside(bench, 'one', 'echo branch > a; echo branch > b; echo branch > c');
    writeFileSync(bench.at('a'), 'person\n');
    expect(pathsOf((await hands.showBranch('one', { paths: ['b'] })).changes)).toEqual(['changed b']);
    await expect(hands.showBranch('one', { paths: ['none'] })).rejects.toMatchObject({ code: 'not_found' });
    expect(await hands.applyBranch('one', { paths: ['./a', 'b'] })).toMatchObject({
      ok: true,
      data: { applied: 1, conflicts: [{ path: 'a', branch: 'changed', workspace: 'changed' }], left: 1 },
    });
    expect(['a', 'b', 'c'].map((path) => read(bench, path))).toEqual(['person\n', 'branch\n', 'c\n']);
    expect(await inside(bench, 'one', 'cat a b c')).toBe('branch\nbranch\nbranch\n');
    expect(pathsOf((await hands.showBranch('one')).changes)).toEqual(['changed a', 'changed c']);
    expect(await hands.applyBranch('one', { paths: ['x'] })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });

  it('bring no file that other programs execute', async () => {
    await using bench = await temporaryHands({ a: '' });
    initRepository(bench.folder);
    await bench.hands.createBranch('one');
    await inside(bench, 'one', 'echo x > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; echo y > y');
    expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1 } });
    expect([existsSync(bench.at('.git/hooks/post-checkout')), existsSync(bench.at('y'))]).toEqual([false, true]);
  });

  it('are neither applied nor deleted while a process works in them', async () => {
    await using bench = await temporaryHands({ a: '' });
    const { hands, folder } = bench;
    await hands.createBranch('one');
    await inside(bench, 'one', 'echo 1 > a');
    const stateFolder = join(folder, '../state');
    const stored = new BranchStore(stateFolder, folder).get('one');
    using _ = await holdBranch(stored.folder, stored.record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
    await expect(hands.dropBranch('one')).rejects.toMatchObject({ code: 'busy' });
    expect(await hands.applyBranch('one')).toMatchObject({ ok: false, error: { code: 'busy', retryable: true } });
    expect(read(bench, 'a')).toBe('');
  });
});
