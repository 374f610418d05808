import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { BranchStore } from './branch-store.ts';
import { holdBranch } from './hold-branch.ts';

const { signal } = new AbortController();
const lines = (...changed: ReadonlyArray<readonly [line: number, text: string]>): string =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => `${changed.find(([one]) => one === line)?.[1] ?? line}\n`).join('');
const matching = (text: string): string => expect.stringContaining(text) as string;

/** Runs a script in a branch, which records nothing. */
async function inside({ folder }: TemporaryHands, name: string, script: string): Promise<string> {
  const stateFolder = join(folder, '../state');
  const stored = new BranchStore(stateFolder, folder).get(name);
  using held = await holdBranch(stored.folder, stored.record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
  const [program, ...words] = held.enter(['/bin/sh', '-ec', script], folder);
  return execFileSync(program, words, { encoding: 'utf8' });
}

/** Writes files in a branch with hands, which records what it had. */
async function write({ hands }: TemporaryHands, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await using branch = await hands.branch(name, { create: false });
  for (const [path, content] of Object.entries(files)) expect(await branch.call('write_file', { path, content })).toMatchObject({ ok: true });
}

describe.skipIf((await findBubblewrap()) === undefined)('a branch of a branch', { timeout: 60_000 }, () => {
  it('is applied after the one that it is based on, on top of what that one made of the workspace', async () => {
    await using bench = await temporaryHands({ a: lines(), b: lines() });
    const { hands } = bench;
    await hands.createBranch('one');
    await write(bench, 'one', { a: lines([1, 'one']) });
    await inside(bench, 'one', 'mkdir n; echo new > n/x; echo y > n/y');
    await hands.createBranch('two', { from: 'one' });
    await hands.createBranch('three', { from: 'two' });
    await write(bench, 'two', { a: lines([1, 'one'], [2, 'two']), 'n/x': 'new\ntwo\n', b: lines([3, 'two']) });
    await inside(bench, 'two', 'rm n/y');
    await inside(bench, 'three', 'rm n/x');
    for (const name of ['two', 'three'])
      expect(await hands.applyBranch(name)).toMatchObject({
        ok: false,
        error: { code: 'conflict', message: `The branch ${name} is based on one, whose changes are not applied.` },
      });
    // Each is shown as what it makes of the one before: in the workspace, the deletion of n/y is nothing.
    const shown = await hands.showBranch('two');
    expect(shown.comparedWith).toBe('one');
    expect(shown.changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a', 'changed b', 'changed n/x', 'deleted n/y']);
    expect(shown.changes.find(({ path }) => path === 'a')?.diff).toContain('+two');
    expect(shown.changes.find(({ path }) => path === 'a')?.diff).not.toContain('+one');
    const third = await hands.showBranch('three');
    expect([third.comparedWith, ...third.changes.map(({ kind, path }) => `${kind} ${path}`)]).toEqual(['two', 'deleted n/x']);
    expect((await hands.showBranch('one')).comparedWith).toBeNull();
    expect(readTree(bench.folder)).toEqual({ a: `file 644 ${lines()}`, b: `file 644 ${lines()}` });
    writeFileSync(bench.at('a'), lines([9, 'person']));
    expect(await hands.applyBranch('one')).toMatchObject({ data: { merged: ['a'], conflicts: [] } });
    expect(await hands.applyBranch('three')).toMatchObject({ error: { message: matching('based on two') } });
    expect(await hands.applyBranch('two')).toMatchObject({ data: { merged: ['a'], conflicts: [], left: 0 } });
    expect(readTree(bench.folder)).toEqual({
      a: `file 644 ${lines([1, 'one'], [2, 'two'], [9, 'person'])}`,
      b: `file 644 ${lines([3, 'two'])}`,
      n: 'folder 755',
      'n/x': 'file 644 new\ntwo\n',
    });
  });

  it('has no conflict with what the one that it is based on applied, unless that changed it meanwhile', async () => {
    await using bench = await temporaryHands({ kept: lines(), edited: lines() });
    const { hands } = bench;
    await hands.createBranch('one');
    await inside(bench, 'one', 'for f in kept edited gone later made; do echo one > $f; done; ln -s kept link');
    await hands.createBranch('two', { from: 'one' });
    await inside(bench, 'two', 'rm gone link; for f in kept edited later; do echo two >> $f; done');
    await inside(bench, 'one', 'echo again >> later');
    expect(await hands.applyBranch('one')).toMatchObject({ data: { conflicts: [], left: 0 } });
    writeFileSync(bench.at('edited'), 'one\nperson\n');
    expect(await hands.applyBranch('two')).toMatchObject({
      data: { conflicts: [{ path: 'edited' }, { path: 'later' }] },
    });
    expect(readTree(bench.folder)).toEqual({
      edited: 'file 644 one\nperson\n',
      kept: 'file 644 one\ntwo\n',
      later: 'file 644 one\nagain\n',
      made: 'file 644 one\n',
    });
  });

  it('moves no reference that the one that it is based on hid from it', async () => {
    await using bench = await temporaryHands({ a: 'a\n' });
    const { hands, folder } = bench;
    const head = (name: string): string => git(folder, 'rev-parse', name).trim();
    const commit = (file: string): string => `echo ${file} > ${file}; git add ${file}; git commit -qm ${file}`;
    initRepository(folder);
    for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' })) git(folder, 'config', key, value);
    git(folder, 'add', 'a');
    git(folder, 'commit', '-qm', 'first');
    await hands.createBranch('one');
    await inside(bench, 'one', commit('one'));
    execFileSync('/bin/sh', ['-ec', commit('person')], { cwd: folder });
    const person = head('HEAD');
    expect(await hands.applyBranch('one')).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/one' }] } });
    await hands.createBranch('two', { from: 'one' });
    await inside(bench, 'two', commit('two'));
    expect(await hands.applyBranch('two')).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/two' }] } });
    expect(head('HEAD')).toBe(person);
    expect(head('synapse/two~1')).toBe(head('synapse/one'));
  });
});
