import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy } from '../testing/branches-kept-by.ts';
import { isReleased } from './hold-branch.ts';
import { UnrecordedChanges } from './note-unrecorded.ts';

const FILES = { 'd/x': 'old\n', 'd/deep/x': 'old\n', 'e/x': 'other\n', 'e/deep/x': 'other\n', 'g/x': 'person\n' };

type Bench = Awaited<ReturnType<typeof branchesKeptBy>>;

/** Ways to change a branch. */
const WAYS: Readonly<Record<string, (bench: Bench, script: string) => Promise<void>>> = {
  'a call': async ({ hands }, script) => {
    await using branch = await hands.branch('one', { create: false });
    expect(await branch.call('run_command', { command: script })).toMatchObject({ ok: true });
  },
  'a command of a person': async (bench, script) => {
    using held = await bench.hold('one');
    using _changes = await UnrecordedChanges.begin(bench.stored('one').folder, held);
    await bench.run('one', script);
  },
};

describe
  .skipIf((await findBubblewrap()) === undefined)
  .each((['overlay', 'copy'] as const).flatMap((kept) => Object.keys(WAYS).map((way) => [kept, way] as const)))(
  'a folder that is moved in the workspace below a branch kept as %s, which %s changed',
  (kept, way) => {
    const setUp = async (script: string) => {
      const bench = await branchesKeptBy(kept, FILES);
      await bench.hands.createBranch('one');
      await WAYS[way]?.(bench, script);
      return { ...bench, move: (from: string, to: string): void => renameSync(bench.at(from), bench.at(to)) };
    };

    it.each([
      ['made', 'mkdir f; echo branch > f/x', ['g', 'f'], 'f/x', 'person\n'],
      ['changed', 'echo branch > d/x', ['e', 'd'], 'd/x', 'other\n'],
      ['deleted', 'rm d/x', ['e', 'd'], 'd/x', 'other\n'],
      ['deleted as a folder', 'rm -r d/deep', ['e', 'd'], 'd/deep/x', 'other\n'],
    ] as const)('keeps its files where the branch %s one: a conflict', async (_, script, [from, to], path, text) => {
      await using bench = await setUp(script);
      if (to === 'd') bench.move('d', 'away');
      bench.move(from, to);
      const { conflicts } = await bench.hands.showBranch('one');
      expect(conflicts.map((one) => `${path}/`.startsWith(`${one.path}/`))).toEqual([true]);
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 0, conflicts } });
      expect(readFileSync(bench.at(path), 'utf8')).toBe(text);
    });

    it('is no conflict where it is moved away and back, or brings other files only', async () => {
      await using bench = await setUp('echo branch > d/x; echo branch > e/y');
      bench.move('d', 'away');
      bench.move('away', 'd');
      bench.move('e', 'away');
      bench.move('g', 'e');
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 2, conflicts: [] } });
      expect(['d/x', 'e/x', 'e/y'].map((path) => bench.text(path))).toEqual(['branch\n', 'person\n', 'branch\n']);
    });
  },
);

describe
  .skipIf((await findBubblewrap()) === undefined)
  .each((['overlay', 'copy'] as const).flatMap((kept) => Object.keys(WAYS).map((way) => [kept, way] as const)))(
  'a folder that is made anew in a branch kept as %s, by %s',
  (kept, way) => {
    it('shows what was applied of it, and the rest is applied later', async () => {
      await using bench = await branchesKeptBy(kept, FILES);
      await bench.hands.createBranch('one');
      await WAYS[way]?.(bench, 'rm -r d; mkdir d; echo branch > d/x; echo branch > d/y');
      writeFileSync(bench.at('d/x'), 'person\n');
      rmSync(bench.at('d/deep'), { recursive: true });
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1, conflicts: [{ path: 'd/x' }] } });
      await isReleased(bench.stored('one').folder, AbortSignal.timeout(60_000));
      expect(await bench.run('one', 'cat d/x d/y; ls d')).toBe('branch\nbranch\nx\ny\n');
      expect(await bench.hands.resolveBranch('one', 'd/x', 'branch')).toMatchObject({ ok: true });
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1, conflicts: [] } });
      expect([bench.text('d/x'), bench.text('d/y')]).toEqual(['branch\n', 'branch\n']);
    });
  },
);

describe.skipIf((await findBubblewrap()) === undefined)('a file that a branch moved, whose deletion was applied and undone', () => {
  it('is another file in the branch than the one that was moved', async () => {
    await using bench = await branchesKeptBy('overlay', { a: 'a\n', b: 'b\n' });
    await bench.hands.createBranch('one');
    await WAYS['a command of a person']?.(bench, 'mv -f a b');
    rmSync(bench.at('b'));
    const applied = await bench.hands.applyBranch('one');
    expect(applied).toMatchObject({ ok: true, data: { applied: 1, conflicts: [{ path: 'b' }] } });
    expect(await bench.hands.undo({ call: applied.meta.callId })).toMatchObject({ ok: true });
    expect(await bench.run('one', 'echo branch >> b; cat a')).toBe('a\n');
    expect(await bench.run('one', 'echo branch > a; cat b')).toBe('a\nbranch\n');
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('a file that the workspace renames after a branch changed it', () => {
  it('has its own content in the branch under the new name', async () => {
    await using bench = await branchesKeptBy('overlay', { a: 'a\n', b: 'b\n' });
    await bench.hands.createBranch('one');
    await bench.run('one', 'echo branch >> a');
    await isReleased(bench.stored('one').folder, AbortSignal.timeout(60_000));
    renameSync(bench.at('a'), bench.at('c'));
    expect(await bench.run('one', 'cat a c')).toBe('a\nbranch\na\n');
    expect(await bench.run('one', 'echo more >> c; cat a')).toBe('a\nbranch\n');
  });
});
