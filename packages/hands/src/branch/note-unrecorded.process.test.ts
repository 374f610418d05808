import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy } from '../testing/branches-kept-by.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { UnrecordedChanges } from './note-unrecorded.ts';

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n';

/** A workspace with a branch, and a command of a person in it. */
async function setUp() {
  const bench = await branchesKeptBy('overlay', { a: LINES, b: LINES, c: LINES, gone: 'x', 'd/x': LINES });
  await bench.hands.createBranch('one');
  const run = async (script: string): Promise<void> => {
    using held = await bench.hold('one');
    using _changes = await UnrecordedChanges.begin(bench.stored('one').folder, held);
    await bench.run('one', script);
  };
  const write = (path: string, text: string): void => writeFileSync(bench.at(path), text);
  return {
    ...bench,
    run,
    meanwhile: bench.run,
    write,
    conflicts: async () => (await bench.hands.showBranch('one')).conflicts.map(({ path }) => path),
  };
}

describe.skipIf((await findBubblewrap()) === undefined)('what a command of a person changes in a branch', () => {
  it('is merged with other lines and permissions that the workspace changes later', async () => {
    await using bench = await setUp();
    await bench.run('sed -i s/^2$/two/ a; chmod 755 a; echo 9 >> b; rm gone');
    bench.write('a', LINES.replace('7', 'seven'));
    bench.write('gone', 'changed');
    expect(await bench.conflicts()).toEqual(['gone']);
    expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 2 } });
    expect([bench.text('a'), bench.text('b')]).toEqual([LINES.replace('2', 'two').replace('7', 'seven'), `${LINES}9\n`]);
  });

  it('is a conflict where the workspace changed the same lines, or deleted the file', async () => {
    await using bench = await setUp();
    await bench.run('sed -i s/^2$/two/ a; echo 9 >> b');
    bench.write('a', LINES.replace('2', 'II'));
    rmSync(bench.at('b'));
    expect((await bench.conflicts()).toSorted()).toEqual(['a', 'b']);
  });

  it('is a conflict where it deletes a folder of which the branch had hidden a file that the workspace changed since', async () => {
    await using bench = await setUp();
    await bench.run('rm d/x');
    bench.write('d/x', 'person');
    await kernelTick(bench.folder);
    await bench.run('rmdir d');
    expect(await bench.conflicts()).toEqual(['d']);
  });

  it('is made of what the workspace has, also where another process saw the branch before that', async () => {
    await using bench = await setUp();
    {
      using held = await bench.hold('one');
      expect(existsSync(held.path(bench.at('new')))).toBe(false);
      bench.write('new', 'person');
      await kernelTick(bench.folder);
      await bench.run('cat new > seen');
    }
    expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true });
    expect(bench.text('seen')).toBe('person');
  });

  it('counts as before where nothing can be noted', async () => {
    await using bench = await setUp();
    {
      using held = await bench.hold('one');
      using _changes = await UnrecordedChanges.begin(bench.stored('one').folder, held);
      await bench.meanwhile('one', 'sed -i s/^2$/two/ a');
      renameSync(bench.folder, `${bench.folder}.away`);
    }
    renameSync(`${bench.folder}.away`, bench.folder);
    bench.write('a', LINES.replace('7', 'seven'));
    expect(await bench.conflicts()).toEqual(['a']);
  });

  it('is never taken for a change of what the workspace had only later', async () => {
    await using bench = await setUp();
    // The branch has its version of `a` from before, and `b` changes while the command runs.
    await bench.run('sed -i s/^2$/two/ a');
    rmSync(`${bench.stored('one').folder.state}/bases`, { recursive: true });
    bench.write('a', LINES.replace('7', 'seven'));
    {
      using held = await bench.hold('one');
      using _changes = await UnrecordedChanges.begin(bench.stored('one').folder, held);
      await bench.meanwhile('one', 'sed -i s/^3$/three/ a; sed -i s/^3$/three/ b');
      bench.write('b', LINES.replace('7', 'seven'));
    }
    expect((await bench.conflicts()).toSorted()).toEqual(['a', 'b']);
  });
});
