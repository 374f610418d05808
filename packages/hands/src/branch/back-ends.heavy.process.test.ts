import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy as setUp, shownBy as shown } from '../testing/branches-kept-by.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { readTree } from '../testing/read-tree.ts';
import { isReleased } from './hold-branch.ts';

const { signal } = new AbortController();
const lines = (...changed: ReadonlyArray<readonly [line: number, text: string]>): string =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => `${changed.find(([one]) => one === line)?.[1] ?? line}\n`).join('');

// The machine of the tests has no file system with reflinks: what differs there is one flag of a copy.
describe.skipIf((await findBubblewrap()) === undefined).each(['overlay', 'copy', 'folder'] as const)(
  'branches kept by %s',
  { timeout: 60_000 },
  (backEnd) => {
    it('keep to themselves what is changed in them, and are applied and taken back as one change', async () => {
      await using bench = await setUp(backEnd, { a: 'old\n', gone: '', 'd/x': 'x', 'd/y': 'y', 'k/l': 'l' });
      const { hands, run, count, text, at } = bench;
      await hands.createBranch('one');
      expect(await run('one', 'pwd; echo new > a; rm gone; mkdir -p e/f; echo y > e/f/y; chmod 600 d/x; chmod 700 k; ln -s a l; mv d/y d/z')).toBe(
        `${backEnd === 'folder' ? bench.stored('one').folder.clone : bench.folder}\n`,
      );
      expect([text('a'), existsSync(at('gone')), existsSync(at('e'))]).toEqual(['old\n', true, false]);
      expect(await shown(bench, 'one')).toEqual([
        'changed a',
        'changed d/x',
        'changed k',
        'created d/z',
        'created e',
        'created e/f',
        'created e/f/y',
        'created l',
        'deleted d/y',
        'deleted gone',
      ]);
      expect(count('one')).toBe(8);
      expect(await run('one', 'cat a; ls -A d')).toBe('new\nx\nz\n');
      const before = readTree(bench.folder);
      const result = await hands.applyBranch('one');
      expect(result).toMatchObject({ ok: true, data: { conflicts: [], left: 0, undo: true } });
      const after = readTree(bench.folder);
      expect(after).toEqual({
        a: 'file 644 new\n',
        d: 'folder 755',
        'd/x': 'file 600 x',
        'd/z': 'file 644 y',
        e: 'folder 755',
        'e/f': 'folder 755',
        'e/f/y': 'file 644 y\n',
        k: 'folder 700',
        'k/l': 'file 644 l',
        l: 'link a',
      });
      expect([await shown(bench, 'one'), count('one')]).toEqual([[], 0]);
      // What the branch writes next is not a change of the workspace.
      await run('one', 'echo again > a; echo more >> e/f/y');
      expect(readTree(bench.folder)).toEqual(after);
      expect(await hands.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
      expect(readTree(bench.folder)).toEqual(before);
      await hands.dropBranch('one');
      expect(hands.branches()).toEqual([]);
    });

    it('merge by lines what both sides changed, and keep the rest in a conflict', async () => {
      await using bench = await setUp(backEnd, { both: lines(), clash: lines(), other: lines(), theirs: lines(), x: lines() });
      const { hands, write, run, text, at } = bench;
      await hands.createBranch('one');
      await write('one', 'both', lines([1, 'one']));
      await write('one', 'clash', lines([5, 'one']));
      await run('one', 'echo unrecorded > other; touch x');
      writeFileSync(at('both'), lines([9, 'person']));
      writeFileSync(at('clash'), lines([5, 'person']));
      writeFileSync(at('other'), 'person\n');
      writeFileSync(at('theirs'), 'person\n');
      const result = await hands.applyBranch('one');
      expect(result).toMatchObject({ ok: true, data: { merged: ['both'] } });
      expect((result.ok ? result.data.conflicts : []).map(({ path }) => path)).toEqual(['clash', 'other']);
      expect(['both', 'clash', 'other', 'theirs'].map(text)).toEqual([
        lines([1, 'one'], [9, 'person']),
        lines([5, 'person']),
        'person\n',
        'person\n',
      ]);
      expect(await run('one', 'cat both; cat clash; cat other')).toBe(`${lines([1, 'one'], [9, 'person'])}${lines([5, 'one'])}unrecorded\n`);
      expect(await shown(bench, 'one')).toEqual(['changed clash', 'changed other']);
      // What was merged is the base of what comes then.
      await write('one', 'both', lines([1, 'one'], [4, 'one'], [9, 'person']));
      writeFileSync(at('both'), lines([1, 'one'], [7, 'person'], [9, 'person']));
      expect(await hands.resolveBranch('one', 'clash', 'branch')).toMatchObject({ ok: true });
      expect(await hands.resolveBranch('one', 'other', 'workspace')).toMatchObject({ ok: true });
      expect(await hands.applyBranch('one')).toMatchObject({ data: { merged: ['both'], conflicts: [], left: 0 } });
      expect(['both', 'clash', 'other'].map(text)).toEqual([
        lines([1, 'one'], [4, 'one'], [7, 'person'], [9, 'person']),
        lines([5, 'one']),
        'person\n',
      ]);
    });

    it('run commands on a copy of what they have, and take them back', async () => {
      await using bench = await setUp(backEnd, { a: 'a', 'd/x': 'x', 'd/e/y': 'y' });
      const { hands, run } = bench;
      await hands.createBranch('one');
      await using branch = await hands.branch('one', { create: false });
      const command = 'rm -r d; echo new > a; mkdir -p n/m; echo 1 > n/m/f; cp n/m/f copy';
      const result = await branch.call('run_command', { command });
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0 } });
      expect(await run('one', 'ls -A; cat a n/m/f')).toBe('a\ncopy\nn\nnew\n1\n');
      expect(await branch.undo({ call: result.meta.callId })).toMatchObject({ ok: true });
      expect(await run('one', 'cat a d/x d/e/y; ls -A')).toBe('axya\nd\n');
      expect(readTree(bench.folder)).toMatchObject({ a: 'file 644 a', 'd/x': 'file 644 x', 'd/e/y': 'file 644 y' });
      await branch.call('run_command', { command });
      expect(await branch.apply()).toMatchObject({ ok: true, data: { conflicts: [], left: 0 } });
      expect(Object.keys(readTree(bench.folder))).toEqual(['a', 'copy', 'n', 'n/m', 'n/m/f']);
    });

    it('apply some paths, and keep the others', async () => {
      await using bench = await setUp(backEnd, { a: 'a', b: 'b', 'd/x': 'x', 'd/y': 'y' });
      const { hands, run, text, at } = bench;
      await hands.createBranch('one');
      await run('one', 'echo 1 > a; echo 1 > b; rm -r d; mkdir -p n/m; echo 1 > n/m/f; echo 1 > n/g');
      expect(await hands.applyBranch('one', { paths: ['a', 'n'] })).toMatchObject({ ok: true, data: { left: 2 } });
      expect([text('a'), text('b'), text('n/m/f'), existsSync(at('d/x'))]).toEqual(['1\n', 'b', '1\n', true]);
      // The branch has the versions of the workspace of these now.
      writeFileSync(at('a'), 'person');
      expect(await shown(bench, 'one')).toEqual(['changed b', 'deleted d', 'deleted d/x', 'deleted d/y']);
      await run('one', 'echo 2 > n/m/f');
      expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { conflicts: [], left: 0 } });
      expect([text('a'), text('b'), text('n/m/f'), existsSync(at('d'))]).toEqual(['person', '1\n', '2\n', false]);
    });

    it('delete nothing that a person changed or made meanwhile', async () => {
      await using bench = await setUp(backEnd, { 'd/x': 'x', 'd/y': 'y', f: 'f', g: 'g', h: 'h' });
      const { hands, run, at, text } = bench;
      await hands.createBranch('one');
      await run('one', 'rm -r d; rm f; echo new > g; echo one > made; echo one >> h');
      writeFileSync(at('d/new'), 'person');
      writeFileSync(at('f'), 'person');
      rmSync(at('g'));
      writeFileSync(at('made'), 'person');
      // Replaced, with the same size and times.
      const { atimeMs, mtimeMs } = statSync(at('h'));
      expect([atimeMs, mtimeMs].every(Number.isFinite)).toBe(true);
      writeFileSync(at('h.new'), 'H');
      renameSync(at('h.new'), at('h'));
      const result = await hands.applyBranch('one');
      const conflicts = (result.ok ? result.data.conflicts : []).map(({ path }) => path);
      expect(conflicts).toEqual(expect.arrayContaining(['f', 'h', 'made']));
      expect(['d/new', 'f', 'made', 'h'].map(text)).toEqual(['person', 'person', 'person', 'H']);
    });

    it('have links, modes, empty folders, hard links and odd names', async () => {
      await using bench = await setUp(backEnd, { a: 'a', 'd/x': 'x' });
      const { hands, run, at } = bench;
      mkdirSync(at('empty'));
      symlinkSync('a', at('link'));
      symlinkSync('/nowhere', at('out'));
      linkSync(at('a'), at('hard'));
      writeFileSync(at('run'), '', { mode: 0o755 });
      writeFileSync(Buffer.concat([Buffer.from(`${bench.folder}/`), Buffer.from([0x66, 0xff])]), 'bytes');
      writeFileSync(at('tab\tname "q"'), 'odd');
      mkdirSync(at('closed'));
      writeFileSync(at('closed/in'), 'in');
      chmodSync(at('closed'), 0o555);
      await hands.createBranch('one');
      const before = readTree(bench.folder);
      expect(await run('one', 'readlink link out; cat hard; ls -l run | cut -c1-10; ls -A empty closed')).toContain('a\n/nowhere\na-rwxr-xr-x\n');
      expect([bench.count('one'), await shown(bench, 'one')]).toEqual([0, []]);
      await run('one', `printf 1 > "$(printf 'f\\377')"; printf 1 > "$(printf 'tab\\tname "q"')"; rmdir empty; ln -sfn d link; echo 2 > hard`);
      expect(readTree(bench.folder)).toEqual(before);
      expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { conflicts: [], left: 0 } });
      expect([existsSync(at('empty')), readlinkSync(at('link')), bench.text('hard'), bench.text('tab\tname "q"')]).toEqual([false, 'd', '2\n', '1']);
      expect(readFileSync(Buffer.concat([Buffer.from(`${bench.folder}/`), Buffer.from([0x66, 0xff])]), 'utf8')).toBe('1');
      chmodSync(at('closed'), 0o755);
    });

    it('bring commits as they are, and beside those of the workspace', async () => {
      await using bench = await setUp(backEnd, { a: 'a\n' });
      const { hands, folder, run } = bench;
      initRepository(folder);
      for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' })) git(folder, 'config', key, value);
      git(folder, 'add', 'a');
      git(folder, 'commit', '-qm', 'first');
      const commit = (file: string): string => `echo ${file} > ${file}; git add ${file}; git commit -qm ${file}`;
      await hands.createBranch('one');
      await hands.createBranch('two');
      await run('two', 'true');
      const made = await run('one', `${commit('b')}; git rev-parse HEAD`);
      expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { conflicts: [], left: 0 } });
      expect([git(folder, 'rev-parse', 'HEAD').trim(), git(folder, 'status', '--porcelain')]).toEqual([made.trim(), '']);
      await run('two', commit('c'));
      const result = await hands.applyBranch('two');
      expect(result).toMatchObject({ ok: true });
      // An overlay sees the commit of the other branch below; a clone does not, and so has another HEAD.
      if (backEnd !== 'overlay') expect(result).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/two' }] } });
      expect(git(folder, 'fsck', '--strict')).toBe('');
    });

    it('see what the branch has that they are based on, and are applied after it', async () => {
      await using bench = await setUp(backEnd, { a: lines(), b: lines() });
      const { hands, run, write, text, at } = bench;
      await hands.createBranch('one');
      await write('one', 'a', lines([1, 'one']));
      await run('one', 'mkdir n; echo new > n/x; echo y > n/y');
      await hands.createBranch('two', { from: 'one' });
      expect(await run('two', 'head -1 a; ls n')).toBe('one\nx\ny\n');
      await write('two', 'a', lines([1, 'one'], [2, 'two']));
      await run('two', 'rm n/y; echo two > b');
      expect(await shown(bench, 'one')).toEqual(['changed a', 'created n', 'created n/x', 'created n/y']);
      const { changes } = await hands.compareBranches('one', 'two');
      expect(changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(['changed a', 'changed b', 'deleted n/y']);
      expect(await hands.applyBranch('two')).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(await hands.applyBranch('one')).toMatchObject({ data: { conflicts: [], left: 0 } });
      expect(await hands.applyBranch('two')).toMatchObject({ data: { conflicts: [], left: 0 } });
      expect([text('a'), text('b'), text('n/x'), existsSync(at('n/y'))]).toEqual([lines([1, 'one'], [2, 'two']), 'two\n', 'new\n', false]);
    });

    it('are mounted once, and until the last user has ended', async () => {
      await using bench = await setUp(backEnd, { a: 'a' });
      await bench.hands.createBranch('one');
      const { folder } = bench.stored('one');
      const first = await bench.hold('one');
      expect([first.backEnd, first.tried]).toEqual([backEnd, []]);
      {
        using second = await bench.hold('one');
        expect(second.path(bench.folder)).toBe(first.path(bench.folder));
      }
      expect(await bench.hands.applyBranch('one')).toMatchObject({ error: { code: 'busy' } });
      first[Symbol.dispose]();
      expect(await isReleased(folder, signal)).toBe(true);
    });

    it('are not applied while a process works in them whose holder was killed', async () => {
      await using bench = await setUp(backEnd, { a: 'a' });
      const { hands, run } = bench;
      await hands.createBranch('one');
      const { folder } = bench.stored('one');
      const held = await bench.hold('one');
      const [program, ...words] = held.enter(['/bin/sh', '-c', 'echo b > b; echo ready; exec sleep 1000'], bench.folder);
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      process.kill(Number(readFileSync(folder.holder, 'utf8').split(' ')[0]), 'SIGKILL');
      held[Symbol.dispose]();
      expect(await hands.applyBranch('one')).toMatchObject({
        error: { code: 'busy', message: expect.stringContaining(`process ${child.pid} (sleep)`) as string },
      });
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(await run('one', 'cat b')).toBe('b\n');
      expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1 } });
    });
  },
);
