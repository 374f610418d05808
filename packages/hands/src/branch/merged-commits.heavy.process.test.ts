import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository, setAuthor } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
const TEXT = LINES.join('');
/** The text with some of its lines replaced. */
const withLines = (changed: Readonly<Record<number, string>>): string => LINES.map((line, index) => changed[index] ?? line).join('');

/** How a person gets the commits of a branch. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'a merge': ['git merge -q --no-edit synapse/fix'],
  'a merge with --squash': ['git merge -q --squash synapse/fix', 'git commit -qm squashed'],
  'a cherry-pick': ['git cherry-pick HEAD..synapse/fix'],
  'a rebase': ['git checkout -q --detach synapse/fix', 'git rebase -q main', 'git checkout -q main', 'git merge -q --ff-only HEAD@{1}'],
};

interface Trial extends AsyncDisposable {
  readonly bench: TemporaryHands;
  /** Runs a shell command in the branch `fix`. */
  readonly inBranch: (command: string) => Promise<void>;
  /** Runs one as a person, in the workspace. */
  readonly person: (command: string) => void;
}

async function startTrial(files: Readonly<Record<string, string>>): Promise<Trial> {
  const bench = await temporaryHands(files, {
    approver: { name: 'a person', ask: async () => await Promise.resolve({ verdict: 'allow', scope: 'once' }) },
  });
  const { folder, hands } = bench;
  initRepository(folder);
  setAuthor(folder);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  await hands.createBranch('fix');
  return {
    bench,
    inBranch: async (command) => {
      // What is in use cannot be applied.
      await using branch = await hands.branch('fix');
      expect(await branch.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
    },
    person: (command) => void execFileSync('/bin/sh', ['-ec', command], { cwd: folder, stdio: 'pipe' }),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
    },
  };
}

/** The branch commits a change, and the person, who committed something else meanwhile, gets it with git. */
async function merge({ bench, person }: Trial, way: string): Promise<void> {
  person('echo mine > mine.txt; git add mine.txt; git commit -qm mine');
  expect(await bench.hands.applyBranch('fix', { paths: ['.git'] })).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/fix' }] } });
  for (const command of WAYS[way] ?? []) person(command);
}

describe.skipIf((await findBubblewrap()) === undefined)('commits of a branch that the workspace got with git', () => {
  it.each(Object.keys(WAYS))('are what both sides go on from, after %s', async (way) => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, inBranch, person } = trial;
    await inBranch(`sed -i 's/^line 5$/five/; s/^line 9$/nine/' a.txt; echo one > new.txt; git add -A; git commit -qm five`);
    await merge(trial, way);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'five\n', 9: 'nine\n' }));
    // Changes a line that it committed, takes another one back, and goes on in its new file.
    await inBranch(`sed -i 's/^five$/FIVE/; s/^nine$/line 9/' a.txt; echo two >> new.txt`);
    expect((await bench.hands.showBranch('fix')).conflicts.filter(({ path }) => !path.startsWith('.git/'))).toEqual([]);
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'FIVE\n' }));
    expect(readFileSync(join(bench.folder, 'new.txt'), 'utf8')).toBe('one\ntwo\n');
    person('git fsck --strict --connectivity-only');
  });

  it('do not hide what a person changed since', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT, 'b.txt': TEXT });
    const { bench, inBranch } = trial;
    await inBranch(`sed -i 's/^line 5$/five/' a.txt b.txt; echo one > new.txt; git add -A; git commit -qm five`);
    await merge(trial, 'a merge');
    writeFileSync(join(bench.folder, 'a.txt'), withLines({ 5: 'five\n', 15: 'person\n' }));
    writeFileSync(join(bench.folder, 'b.txt'), withLines({ 5: 'person\n' }));
    rmSync(join(bench.folder, 'new.txt'));
    await inBranch(`sed -i 's/^five$/FIVE/' a.txt b.txt; echo two >> new.txt`);
    const { conflicts, merged } = await bench.hands.showBranch('fix');
    expect(merged).toEqual(['a.txt']);
    expect(conflicts.filter(({ path }) => !path.startsWith('.git/'))).toEqual([
      { path: 'b.txt', branch: 'changed', workspace: 'changed' },
      { path: 'new.txt', branch: 'changed', workspace: 'deleted' },
    ]);
    const { places } = await bench.hands.showConflict('fix', 'b.txt');
    expect(places.map(({ base, branch, workspace }) => [base.lines, branch.lines, workspace.lines])).toEqual([
      [['five\n'], ['FIVE\n'], ['person\n']],
    ]);
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'FIVE\n', 15: 'person\n' }));
    expect(readFileSync(join(bench.folder, 'b.txt'), 'utf8')).toBe(withLines({ 5: 'person\n' }));
  });

  it('count no more once the person takes the merge back', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, inBranch, person } = trial;
    await inBranch(`sed -i 's/^line 5$/five/' a.txt; git commit -qam five`);
    await merge(trial, 'a merge');
    person('git reset -q --hard HEAD~1');
    await inBranch(`sed -i 's/^five$/FIVE/' a.txt`);
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'FIVE\n' }));
  });

  // The files of a workspace that a branch did not change are in the branch as they are now, and git there takes them for changes.
  it('are not what the workspace committed since, which git in the branch takes away', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT, 'gone.txt': 'gone\n', 'kept.txt': 'kept\n' });
    const { bench, inBranch, person } = trial;
    await inBranch('echo one > new.txt; git add -A; git commit -qm one');
    writeFileSync(join(bench.folder, 'a.txt'), withLines({ 5: 'person\n' }));
    person(
      'mkdir dir; echo x > dir/x; echo y > y; git rm -q gone.txt; git add -A; git commit -qm mine; echo draft > draft.txt; echo more >> kept.txt',
    );
    await inBranch('git reset -q --hard; git clean -qfd; ls');
    const shown = await bench.hands.showBranch('fix');
    // What no commit has is gone in the branch, and that is shown.
    expect(shown.changes.map(({ path }) => path).toSorted()).toEqual(['draft.txt', 'kept.txt', 'new.txt']);
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'person\n' }));
    expect(readdirSync(bench.folder).toSorted()).toEqual(['.git', 'a.txt', 'dir', 'kept.txt', 'new.txt', 'y']);
    expect(readFileSync(join(bench.folder, 'dir/x'), 'utf8')).toBe('x\n');
  });

  it('are not what the workspace committed while the branch, without commits of its own, was in use', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, person } = trial;
    {
      await using branch = await bench.hands.branch('fix');
      const run = async (command: string): Promise<void> =>
        expect(await branch.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
      await run('git status');
      writeFileSync(join(bench.folder, 'a.txt'), withLines({ 5: 'person\n' }));
      person('mkdir dir; echo x > dir/x; git add -A; git commit -qm mine');
      await run('git reset -q --hard; git clean -qfd; echo own > own.txt');
    }
    expect((await bench.hands.showBranch('fix')).changes.map(({ path }) => path)).toEqual(['own.txt']);
    await bench.hands.applyBranch('fix');
    expect(readdirSync(bench.folder).toSorted()).toEqual(['.git', 'a.txt', 'dir', 'own.txt']);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'person\n' }));
  });

  it('are not what the workspace committed since, if the branch changed permissions or deleted what is there as it was', async () => {
    await using trial = await startTrial({ 'run.sh': TEXT, 'sub/x': 'x\n' });
    const { bench, inBranch, person } = trial;
    person('git -C sub init -q; git -C sub config user.name Ada; git -C sub config user.email a@x; git -C sub add x; git -C sub commit -qm x');
    person('git rm -q -r --cached sub; git add sub; git commit -qm module');
    await inBranch('git add sub; chmod +x run.sh; git commit -qam mode');
    writeFileSync(join(bench.folder, 'run.sh'), withLines({ 5: 'person\n' }));
    person('echo y > sub/y; git -C sub add y; git -C sub commit -qm y; git commit -qam mine');
    await inBranch('rm -rf sub');
    expect((await bench.hands.showBranch('fix')).changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['run.sh', 'sub']));
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'run.sh'), 'utf8')).toBe(withLines({ 5: 'person\n' }));
    expect(statSync(join(bench.folder, 'run.sh')).mode & 0o111).toBe(0o111);
  });

  it('do not come again where a person took one of them back', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, inBranch } = trial;
    await inBranch(`sed -i 's/^line 5$/five/' a.txt; git commit -qam five; sed -i 's/^five$/FIVE/' a.txt; git commit -qam FIVE`);
    await merge(trial, 'a merge with --squash');
    writeFileSync(join(bench.folder, 'a.txt'), withLines({ 5: 'five\n' }));
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'five\n' }));
  });

  it('are none that a person made, which the branch has below its own', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, inBranch, person } = trial;
    await inBranch(`sed -i 's/^line 5$/branch/' a.txt; git status`);
    writeFileSync(join(bench.folder, 'a.txt'), withLines({ 5: 'person\n' }));
    person('git commit -qam mine');
    await inBranch('git status; echo one > new.txt; git add new.txt; git commit -qm one');
    await merge(trial, 'a merge');
    expect((await bench.hands.showBranch('fix')).conflicts.filter(({ path }) => !path.startsWith('.git/'))).toEqual([
      { path: 'a.txt', branch: 'changed', workspace: 'changed' },
    ]);
    await bench.hands.applyBranch('fix');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(withLines({ 5: 'person\n' }));
  });

  it('are listed up to the one that the workspace has', async () => {
    await using trial = await startTrial({ 'a.txt': TEXT });
    const { bench, inBranch } = trial;
    await inBranch(`echo one > new.txt; git add -A; git commit -qm one`);
    await merge(trial, 'a merge');
    expect((await bench.hands.showBranch('fix')).held).toEqual([{ repository: '.git', commits: [], ends: [], isMerged: true }]);
    await inBranch(`echo two > new.txt; git commit -qam two`);
    expect((await bench.hands.showBranch('fix')).held).toMatchObject([{ commits: [{ subject: 'two' }], isMerged: false }]);
    // Git prints a subject of any length: lists show its beginning, and a long one does not take the room of the others.
    await inBranch(`head -c 100000 /dev/zero | tr '\\0' x | git commit -q --allow-empty -F -`);
    const [held] = (await bench.hands.showBranch('fix')).held;
    expect(held?.commits.map(({ subject }) => subject)).toEqual([`${'x'.repeat(118)}..`, 'two']);
  });
});
