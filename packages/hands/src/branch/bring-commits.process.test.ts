import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository, setAuthor } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { BranchStore } from './branch-store.ts';
import { holdBranch } from './hold-branch.ts';

/** What a commit graph has in place of a parent that a commit does not have. */
const NO_PARENT = 0x70000000;
const HASH_BYTES = 20;

/** Makes a commit graph say that no commit has a parent. */
function orphanAll(file: string): void {
  const graph = readFileSync(file);
  const chunks = new Map<string, number>();
  for (let at = 8; at < 8 + (graph[6] ?? 0) * 12; at += 12) chunks.set(graph.toString('latin1', at, at + 4), Number(graph.readBigUInt64BE(at + 4)));
  const count = graph.readUInt32BE((chunks.get('OIDF') ?? 0) + 255 * 4);
  expect(count).toBe(3);
  for (let index = 0; index < count; index += 1) graph.writeUInt32BE(NO_PARENT, (chunks.get('CDAT') ?? 0) + index * (HASH_BYTES + 16) + HASH_BYTES);
  chmodSync(file, 0o644);
  writeFileSync(file, graph);
}

// Files beside the objects say what git would have to compute otherwise. Those of a branch may say anything.
it.skipIf((await findBubblewrap()) === undefined)('commits of a branch come along whole, whatever its commit graph says', async () => {
  await using bench = await temporaryHands({ a: 'a\n' });
  const { hands, folder } = bench;
  const commit = (name: string): string => `echo ${name} > ${name}; git add ${name}; git commit -qm ${name}`;
  initRepository(folder);
  setAuthor(folder);
  git(folder, 'add', 'a');
  git(folder, 'commit', '-qm', 'first');
  await hands.createBranch('one');
  const stateFolder = join(folder, '../state');
  const { folder: branch, record } = new BranchStore(stateFolder, folder).get('one');
  {
    using held = await holdBranch(branch, record, {
      stateFolder,
      locks: new FileLocks(join(stateFolder, 'locks')),
      signal: AbortSignal.timeout(60_000),
    });
    const [program, ...words] = held.enter(['/bin/sh', '-ec', `${commit('x')}; ${commit('y')}; git commit-graph write --reachable`], folder);
    execFileSync(program, words, { stdio: 'ignore' });
  }
  orphanAll(join(branch.upper, '.git/objects/info/commit-graph'));
  execFileSync('/bin/sh', ['-ec', commit('person')], { cwd: folder });
  expect(await hands.applyBranch('one')).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/one' }] } });
  expect(git(folder, 'log', '--format=%s', 'synapse/one')).toBe('y\nx\nfirst');
  git(folder, 'fsck', '--strict', '--connectivity-only');
});

// Beside a HEAD that moved, a file of before would take back what the commit changed.
it.skipIf((await findBubblewrap()) === undefined).each([
  ['no file', { paths: ['.git'] }],
  ['some files', { paths: ['.git', 'a'] }],
  ['some hunks', { hunks: [{ path: 'b', take: [1] }] }],
  ['all but a conflict', {}],
] as const)('commits of a branch of which %s are applied wait for git to merge them', async (_, part) => {
  const lines = Array.from({ length: 20 }, (__, index) => `${index}\n`).join('');
  await using bench = await temporaryHands(
    { a: lines, b: lines },
    { approver: { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) } },
  );
  const { hands, folder } = bench;
  initRepository(folder);
  setAuthor(folder);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  await hands.createBranch('one');
  {
    await using branch = await hands.branch('one');
    const command = `sed -i 's/^3$/three/; s/^17$/last/' a b; git commit -qam second`;
    expect(await branch.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
  }
  if (!('paths' in part) && !('hunks' in part)) writeFileSync(join(folder, 'a'), lines.replace('3\n', 'person\n'));
  expect((await hands.showBranch('one', part)).held).toMatchObject([{ repository: '.git', commits: [{ subject: 'second' }] }]);
  expect(await hands.applyBranch('one', part)).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/one' }] } });
  expect(git(folder, 'log', '--format=%s')).toBe('first');
  expect(git(folder, 'diff', '--cached', '--name-only')).toBe('');
  git(folder, 'checkout', '-q', '.');
  git(folder, 'merge', '-q', 'synapse/one');
  expect(git(folder, 'status', '--short')).toBe('');
  expect(readFileSync(join(folder, 'b'), 'utf8')).toBe(lines.replace('3\n', 'three\n').replace('17\n', 'last\n'));
});

// They were told to be in the workspace, or not told at all, and deleted with the branch.
it.skipIf((await findBubblewrap()) === undefined)('commits of other branches of git, and the stash, come along beside those of HEAD', async () => {
  await using bench = await temporaryHands({ a: 'a\n' }, { approver: { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) } });
  const { hands, folder } = bench;
  initRepository(folder);
  setAuthor(folder);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  git(folder, 'branch', 'other');
  await hands.createBranch('one');
  const inBranch = async (command: string): Promise<void> => {
    await using branch = await hands.branch('one');
    expect(await branch.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
  };
  const commit = (name: string): string => `echo ${name} > ${name} && git add ${name} && git commit -qm ${name}`;
  await inBranch(`git checkout -qb some/feature && ${commit('x')} && git checkout -q other && ${commit('y')} && git checkout -q -`);
  // The name of an object that is nowhere takes nothing away from the others.
  await inBranch('git checkout -q main && git tag v1 && echo z > a && git stash -q && printf %040d 1 > .git/refs/heads/lost');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'person');
  const names = async (): Promise<unknown> => {
    const [held] = (await hands.showBranch('one')).held;
    return { isMerged: held?.isMerged, ends: held?.ends, subjects: held?.commits.map(({ subject }) => subject).toSorted() };
  };
  const ends = ['-other', '-some-feature', '-stash'];
  expect(await names()).toEqual({
    isMerged: false,
    ends: expect.toSatisfy((found: readonly string[]) => found.toSorted().join() === ends.join()),
    subjects: ['WIP on main: ', 'index on main: ', 'x', 'y'].map((start) => expect.stringContaining(start)),
  });
  const refs = ends.map((end) => `refs/heads/synapse/one${end}`);
  const applied = await hands.applyBranch('one');
  expect(applied).toMatchObject({ ok: true, data: { commits: expect.toSatisfy((found: readonly unknown[]) => found.length === 3) } });
  expect(git(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/synapse').split('\n')).toEqual(refs);
  expect(git(folder, 'log', '--format=%s', 'synapse/one-some-feature')).toBe('x\nfirst');
  expect(git(folder, 'log', '--format=%s', 'main')).toBe('person\nfirst');
  git(folder, 'fsck', '--strict', '--connectivity-only');
  git(folder, 'stash', 'apply', '-q', 'synapse/one-stash');
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('z\n');
  git(folder, 'checkout', '-q', '.');

  // With commits of HEAD, and after some were merged.
  git(folder, 'merge', '-q', 'synapse/one-other');
  await inBranch(commit('w'));
  expect((await hands.showBranch('one')).held).toMatchObject([{ ends: ['', '-some-feature', '-stash'] }]);
  expect(await hands.applyBranch('one')).toMatchObject({ ok: true });
  expect(git(folder, 'log', '--format=%s', 'synapse/one')).toBe('w\nfirst');
  await hands.undo();
  expect(() => git(folder, 'rev-parse', '-q', '--verify', 'synapse/one')).toThrow();
  git(folder, 'rev-parse', '-q', '--verify', 'synapse/one-stash');
});
