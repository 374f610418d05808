import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/** A repository in which a call made a second commit. */
async function setUp(command = 'echo two > a; git commit -qam second') {
  const bench = await temporaryHands({ a: 'one\n' }, { allow: [], approver: YES });
  const run = (...words: string[]): string => git(bench.folder, ...words);
  initRepository(bench.folder);
  run('config', 'user.name', 'Ada');
  run('config', 'user.email', 'ada@example.com');
  run('add', '-A');
  run('commit', '-qm', 'first');
  const { ok, meta } = await bench.hands.call('run_command', { command });
  expect(ok).toBe(true);
  return { ...bench, run, call: meta.callId };
}

describe.skipIf((await findBubblewrap()) === undefined)('the undo of a commit', () => {
  it.each([
    ['a tag', ['tag', 'keep'], 'keep'],
    ['a branch', ['branch', 'keep'], 'keep'],
    ['another worktree', ['worktree', 'add', '-q', '-b', 'keep', '../worktree'], 'keep'],
  ] as const)('leaves its objects, which %s needs by now', async (_, words, name) => {
    await using bench = await setUp();
    bench.run(...words);
    expect(await bench.hands.undo({ call: bench.call })).toMatchObject({ ok: true });
    expect(bench.run('log', '--format=%s', name)).toBe('second\nfirst');
    expect(bench.run('log', '--format=%s')).toBe('first');
    expect([bench.run('status', '--short', '--untracked-files=no'), bench.run('fsck', '--no-dangling')]).toEqual(['', '']);
  });

  it.each([
    ['changed the permissions of the repository', 'chmod 700 .git .git/refs .git/refs/tags; echo two > a; git commit -qam second'],
    ['made a folder of tags', 'rmdir .git/refs/tags; mkdir .git/refs/tags; git tag own; echo two > a; git commit -qam second'],
  ])('leaves its objects for a tag where the call %s', async (_, command) => {
    await using bench = await setUp(command);
    bench.run('tag', 'keep');
    await bench.hands.undo({ call: bench.call });
    expect(bench.run('log', '--format=%s', 'keep')).toBe('second\nfirst');
    expect(bench.run('fsck', '--no-dangling')).toBe('');
  });

  it('leaves packs, and is not in the way of objects that came into the same folders', async () => {
    await using bench = await setUp('echo two > a; git commit -qam second; git repack -q; echo three > a; git commit -qam third');
    bench.run('tag', 'keep');
    // Each folder of objects gets one: 256 are enough for all that the call made.
    for (let index = 0; index < 1_500; index += 1) writeFileSync(bench.at(`.git/file-${index}`), `${index}\n`);
    bench.run('hash-object', '-w', ...Array.from({ length: 1_500 }, (__, index) => `.git/file-${index}`));
    expect(await bench.hands.undo({ call: bench.call })).toMatchObject({ ok: true });
    expect(bench.run('log', '--format=%s', 'keep')).toBe('third\nsecond\nfirst');
    expect(bench.run('fsck', '--no-dangling')).toBe('');
  });

  it('leaves nothing of it where nothing else changed the repository', async () => {
    await using bench = await setUp('true');
    const before = readTree(bench.folder);
    const { meta } = await bench.hands.call('run_command', { command: 'echo two > a; git commit -qam second; git tag -am note v1' });
    expect(await bench.hands.undo({ call: meta.callId })).toMatchObject({ ok: true });
    expect(readTree(bench.folder)).toEqual(before);
  });

  it.each<readonly [what: string, need: (bench: Awaited<ReturnType<typeof setUp>>) => Promise<() => Promise<unknown>>]>([
    [
      'a tag of a later call, whose undo is undone',
      async ({ hands }) => {
        const { meta } = await hands.call('run_command', { command: 'git tag keep' });
        const undo = await hands.undo({ call: meta.callId });
        return async () => await hands.undo({ call: undo.meta.callId });
      },
    ],
    [
      'a tag that waits',
      async ({ hands }) => {
        const later: Approver = { name: 'later', ask: async () => ({ verdict: 'later' }) };
        const { meta } = await hands.call('run_command', { command: 'git tag keep' }, { approver: later });
        return async () => await hands.applyPending(meta.pending ?? '');
      },
    ],
    [
      'a tag in a branch of Synapse',
      async ({ hands }) => {
        await hands.createBranch('one');
        {
          await using branch = await hands.branch('one', { create: false });
          expect(await branch.call('run_command', { command: 'git tag keep' })).toMatchObject({ ok: true });
        }
        return async () => await hands.applyBranch('one');
      },
    ],
  ])('leaves its objects for %s', async (_, need) => {
    await using bench = await setUp();
    const bring = await need(bench);
    expect(await bench.hands.undo({ call: bench.call })).toMatchObject({ ok: true });
    expect(await bring()).toMatchObject({ ok: true });
    expect(bench.run('log', '--format=%s', 'keep')).toBe('second\nfirst');
    expect(bench.run('fsck', '--no-dangling')).toBe('');
  });

  it('leaves its objects for a tag of a command that a person is asked about meanwhile', async () => {
    await using bench = await setUp();
    const undone: boolean[] = [];
    const ask: Approver['ask'] = async () => {
      undone.push((await bench.hands.undo({ call: bench.call })).ok);
      return { verdict: 'allow', scope: 'once' };
    };
    expect(await bench.hands.call('run_command', { command: 'git tag keep' }, { approver: { name: 'undo', ask } })).toMatchObject({ ok: true });
    expect([undone, bench.run('log', '--format=%s', 'keep'), bench.run('fsck', '--no-dangling')]).toEqual([[true], 'second\nfirst', '']);
  });

  it('is undone itself', async () => {
    await using bench = await setUp();
    const undo = await bench.hands.undo({ call: bench.call });
    expect(undo).toMatchObject({ ok: true });
    expect(await bench.hands.undo({ call: undo.meta.callId })).toMatchObject({ ok: true });
    expect(bench.run('log', '--format=%s')).toBe('second\nfirst');
    expect(bench.run('fsck', '--no-dangling')).toBe('');
  });
});
