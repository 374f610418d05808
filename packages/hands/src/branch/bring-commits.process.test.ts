import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
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
  for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' })) git(folder, 'config', key, value);
  git(folder, 'add', 'a');
  git(folder, 'commit', '-qm', 'first');
  await hands.createBranch('one');
  const stateFolder = join(folder, '../state');
  const { folder: branch, record } = new BranchStore(stateFolder, folder).get('one');
  {
    using held = await holdBranch(branch, record, {
      stateFolder,
      locks: new FileLocks(join(stateFolder, 'locks')),
      signal: AbortSignal.timeout(30_000),
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
