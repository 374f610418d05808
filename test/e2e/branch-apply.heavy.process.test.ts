import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { makePlace, runCli, runCliProcess, type Place } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;
const LINES = Array.from({ length: 9 }, (_, at) => `line ${at}\n`);
const changed = (...replaced: ReadonlyArray<readonly [number, string]>): string =>
  LINES.map((line, at) => replaced.find(([index]) => index === at)?.[1] ?? line).join('');

interface Branch {
  readonly place: Place;
  readonly at: (path: string) => string;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  /** Runs a command of a model in the branch. */
  readonly run: (command: string) => Promise<void>;
  /** Writes a file with the tool in the branch. */
  readonly writeInside: (path: string, content: string) => Promise<void>;
  /** Runs a command of a person in the branch, of which nothing is recorded. */
  readonly runUnrecorded: (command: string) => Promise<void>;
  readonly apply: (...paths: string[]) => Promise<unknown>;
}

async function setUp(files: Record<string, string>): Promise<Branch> {
  const place = await makePlace({});
  const at = (path: string): string => join(place.folder, path);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }
  expect((await runCli(place, ['branch', 'new', 'fix'])).code).toBe(0);
  const inside = async (...words: string[]): Promise<void> => {
    expect(await runCliProcess(place, [...words, '--branch', 'fix', '--yes'])).toMatchObject({ code: 0 });
  };
  return {
    place,
    at,
    read: (path) => readFileSync(at(path), 'utf8'),
    write: (path, text) => writeFileSync(at(path), text),
    run: async (command) => await inside('call', 'run_command', JSON.stringify({ command })),
    writeInside: async (path, content) => await inside('call', 'write_file', JSON.stringify({ path, content })),
    async runUnrecorded(command) {
      expect(await runCliProcess(place, ['branch', 'run', 'fix', '--', 'sh', '-c', command])).toMatchObject({ code: 0 });
    },
    async apply(...paths) {
      const { out } = await runCli(place, ['branch', 'apply', 'fix', ...paths, '--yes', '--json']);
      const { result } = JSON.parse(out) as { result: { ok: boolean; data?: unknown; error?: unknown } };
      return result.data ?? result.error;
    },
  };
}

describe.skipIf(!works)('synapse branch apply', () => {
  it('refuses a branch that is based on one with changes before it shows anything, and the diff says with what it compares', async () => {
    const branch = await setUp({ a: 'a\n' });
    await branch.writeInside('made', 'made\n');
    const cli = async (...words: string[]) => await runCli(branch.place, ['branch', ...words]);
    await cli('new', 'upper', '--from', 'fix');
    expect(await runCliProcess(branch.place, ['branch', 'run', 'upper', '--', 'rm made && echo b > a'])).toMatchObject({ code: 0 });
    for (const part of [[], ['a']]) {
      const refused = await cli('apply', 'upper', ...part, '--yes');
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('The branch upper is based on fix, whose changes are not applied.') });
      expect(refused.err).not.toContain('+b');
    }
    const diff = await cli('diff', 'upper', '--stat');
    expect([diff.out, diff.err]).toEqual([
      expect.stringMatching(/^changed +a +\+1 -1\ndeleted +made +\+0 -1\n$/u),
      expect.stringContaining('Compared with fix, which it is based on'),
    ]);
    expect((await cli('apply', 'fix', '--yes')).code).toBe(0);
    expect((await cli('apply', 'upper', '--yes')).err).toContain('2 changes applied.');
    expect([existsSync(branch.at('made')), branch.read('a')]).toEqual([false, 'b\n']);
  });

  it('merges lines that both sides changed, and takes what only one side changed', async () => {
    const branch = await setUp({ both: LINES.join(''), tool: LINES.join(''), mine: 'a\n', theirs: 'a\n', same: 'a\n', mode: 'a\n', 'l.txt': 'a\n' });
    await branch.run('sed -i "s/line 1/branch 1/" both; echo b > mine; echo b > same; chmod +x mode');
    await branch.writeInside('tool', changed([2, 'branch 2\n']));
    branch.write('both', changed([7, 'person 7\n']));
    branch.write('tool', changed([8, 'person 8\n']));
    branch.write('theirs', 'b\n');
    branch.write('same', 'b\n');
    branch.write('mode', 'b\n');
    const { out } = await runCli(branch.place, ['branch', 'diff', 'fix', '--json']);
    expect(JSON.parse(out)).toMatchObject({ merged: ['both', 'mode', 'tool'], conflicts: [] });
    expect(out).toContain('+branch 1');
    expect(out).not.toContain('person 7\\n+');
    expect(await branch.apply()).toEqual({ applied: 4, merged: ['both', 'mode', 'tool'], conflicts: [], commits: [], left: 0, undo: true });
    expect(branch.read('both')).toBe(changed([1, 'branch 1\n'], [7, 'person 7\n']));
    expect(branch.read('tool')).toBe(changed([2, 'branch 2\n'], [8, 'person 8\n']));
    expect(['mine', 'theirs', 'same', 'mode'].map(branch.read)).toEqual(['b\n', 'b\n', 'b\n', 'b\n']);
    expect(statSync(branch.at('mode')).mode & 0o777).toBe(0o755);
    expect((await runCli(branch.place, ['undo', '--yes'])).code).toBe(0);
    expect([branch.read('both'), branch.read('mine')]).toEqual([changed([7, 'person 7\n']), 'a\n']);
  });

  it('takes what the branch made of a version that the workspace had before, also if that changed again', async () => {
    const branch = await setUp({ once: 'a\n', twice: LINES.join('') });
    branch.write('once', 'person\n');
    branch.write('twice', changed([0, 'person 0\n']));
    await branch.run('echo branch >> once; sed -i "s/line 4/branch 4/" twice');
    branch.write('twice', changed([0, 'person 0\n'], [8, 'person 8\n']));
    expect(await branch.apply()).toMatchObject({ applied: 2, merged: ['twice'], conflicts: [] });
    expect(branch.read('once')).toBe('person\nbranch\n');
    expect(branch.read('twice')).toBe(changed([0, 'person 0\n'], [4, 'branch 4\n'], [8, 'person 8\n']));
  });

  it('names conflicts, and loses neither version', async () => {
    const branch = await setUp({ line: 'a\n', gone: 'a\n', deleted: 'a\n', raw: 'a\n', 'd/x': 'a\n', 'kept.bin': 'a\0\n' });
    await branch.run('echo b > line; echo b > gone; rm deleted; echo b > d/x; printf "b\\0\\n" > kept.bin');
    await branch.runUnrecorded('echo b > raw; echo b > new');
    for (const path of ['line', 'deleted', 'raw', 'kept.bin', 'new']) branch.write(path, 'person\n');
    rmSync(branch.at('gone'));
    rmSync(branch.at('d'), { recursive: true });
    const conflicts = [
      { path: 'd', branch: 'changed', workspace: 'deleted' },
      { path: 'deleted', branch: 'deleted', workspace: 'changed' },
      { path: 'gone', branch: 'changed', workspace: 'deleted' },
      ...['kept.bin', 'line', 'new', 'raw'].map((path) => ({ path, branch: 'changed', workspace: 'changed' })),
    ];
    expect(await branch.apply()).toEqual({ applied: 0, merged: [], conflicts, commits: [], left: 0, undo: true });
    expect(['line', 'deleted', 'raw', 'new'].map(branch.read)).toEqual(Array(4).fill('person\n'));
    expect([existsSync(branch.at('gone')), existsSync(branch.at('d'))]).toEqual([false, false]);
    await branch.runUnrecorded('test "$(cat line gone raw new d/x)" = "$(printf "b\\nb\\nb\\nb\\nb")" && test ! -e deleted');
    const shown = await runCli(branch.place, ['branch', 'diff', 'fix']);
    expect(shown.out).toContain('Conflict: line, changed in the branch and changed in the workspace');
    const applied = await runCli(branch.place, ['branch', 'apply', 'fix', '--yes']);
    expect(applied).toMatchObject({ code: 1, err: expect.stringMatching(/Nothing was applied\.\n$/u) as string });
    expect(applied.err).not.toMatch(/^ {2}\S/mu);
  });

  it.each([[[]], [['--json']]])('is no success for a script where a conflict stays, whatever else was applied: %j', async (more) => {
    const branch = await setUp({ a: 'a\n', b: 'b\n' });
    await branch.run('echo 1 > a; echo 1 > b');
    branch.write('a', 'person\n');
    const apply = async (...paths: string[]) => await runCli(branch.place, ['branch', 'apply', 'fix', ...paths, '--yes', ...more]);
    expect((await apply()).code).toBe(1);
    expect(['a', 'b'].map(branch.read)).toEqual(['person\n', '1\n']);
    branch.write('a', 'a\n');
    expect((await apply()).code).toBe(0);
    expect(branch.read('a')).toBe('1\n');
  });

  it('knows again what was applied, and what the branch has undone', async () => {
    const branch = await setUp({ a: 'a\n', b: 'b\n', u: 'u\n' });
    await branch.run('echo 1 > a; echo 1 > b; echo 1 > u');
    await branch.run('printf "u\\n" > u');
    branch.write('u', 'person\n');
    expect(await branch.apply('a', 'u')).toMatchObject({ applied: 1, conflicts: [], left: 1 });
    expect([branch.read('a'), branch.read('u')]).toEqual(['1\n', 'person\n']);
    await branch.runUnrecorded('test "$(cat u)" = person && echo 2 > a');
    expect(await branch.apply()).toMatchObject({ applied: 2, conflicts: [], left: 0 });
    expect([branch.read('a'), branch.read('b')]).toEqual(['2\n', '1\n']);
    await branch.run('echo 3 > a');
    branch.write('a', 'person\n');
    expect(await branch.apply()).toMatchObject({ applied: 0, conflicts: [{ path: 'a' }] });
  });

  it('deletes folders that others did not change, and keeps permissions that others gave to them', async () => {
    const branch = await setUp({ 'd/x': 'a\n', 'e/x': 'a\n', 'e/y': 'a\n', 'f/x': 'a\n' });
    branch.write('d/x', 'person\n');
    await branch.run('rm -r d e; echo b > f/x');
    branch.write('e/y', 'person\n');
    chmodSync(branch.at('f'), 0o750);
    mkdirSync(branch.at('f/own'));
    appendFileSync(branch.at('f/own/y'), 'person\n');
    expect(await branch.apply()).toMatchObject({ applied: 2, conflicts: [{ path: 'e', branch: 'deleted', workspace: 'changed' }] });
    expect([existsSync(branch.at('d')), branch.read('e/y'), branch.read('f/x'), branch.read('f/own/y')]).toEqual([
      false,
      'person\n',
      'b\n',
      'person\n',
    ]);
    expect(statSync(branch.at('f')).mode & 0o777).toBe(0o750);
  });

  it('takes the version that a person chose for a conflict, unless one side changed since', async () => {
    const branch = await setUp({ a: 'a\n', b: 'a\n', c: 'a\n', d: 'a\n', 'e/x': 'a\n', 'f/x': 'a\n' });
    const resolve = async (...words: string[]): Promise<number | null> => (await runCli(branch.place, ['branch', 'resolve', 'fix', ...words])).code;
    await branch.run('for f in a b c d f/x; do echo branch > $f; done; rm -r e');
    for (const path of ['a', 'b', 'c', 'd', 'e/x']) branch.write(path, 'person\n');
    rmSync(branch.at('f'), { recursive: true });
    const merged = branch.at('merged.txt');
    writeFileSync(merged, 'both\n');
    expect(await branch.apply()).toMatchObject({ applied: 0, conflicts: ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => ({ path })) });
    expect((await runCli(branch.place, ['branch', 'resolve', 'fix'])).out).toContain(
      'Conflict: e, deleted in the branch and changed in the workspace',
    );
    for (const [path, ...how] of [
      ['a', '--take', 'branch'],
      ['b', '--take', 'workspace'],
      ['c', '--file', merged],
      ['d', '--take', 'branch'],
      ['e', '--take', 'branch'],
      ['f', '--take', 'workspace'],
    ])
      expect([path, await resolve(path ?? '', ...how)]).toEqual([path, 0]);
    expect([await resolve('none', '--take', 'branch'), await resolve('d', '--take', 'other'), await resolve('e', '--file', merged)]).toEqual([
      5, 2, 5,
    ]);
    branch.write('d', 'person again\n');
    expect(await branch.apply()).toMatchObject({ applied: 3, conflicts: [{ path: 'd' }], left: 0, undo: true });
    expect(['a', 'b', 'c', 'd'].map(branch.read)).toEqual(['branch\n', 'person\n', 'both\n', 'person again\n']);
    expect([existsSync(branch.at('e')), existsSync(branch.at('f'))]).toEqual([false, false]);
    await branch.runUnrecorded('test "$(cat a b c d)" = "$(printf "branch\\nperson\\nboth\\nbranch")"');
    expect((await runCli(branch.place, ['undo', '--yes'])).code).toBe(0);
    expect(['a', 'c', 'e/x'].map(branch.read)).toEqual(['person\n', 'person\n', 'person\n']);
  });

  it('shows a conflict with all three versions, as a text to merge by hand', async () => {
    const branch = await setUp({ a: LINES.join(''), c: LINES.join('') });
    const { place, read } = branch;
    for (const path of ['a', 'c']) {
      await branch.writeInside(path, changed([1, 'branch 1\n'], [7, 'branch 7\n']));
      branch.write(path, changed([1, 'person 1\n']));
    }
    const resolve = async (...words: string[]) => await runCli(place, ['branch', 'resolve', 'fix', ...words]);
    const marked = '<<<<<<< workspace\nperson 1\n||||||| base\nline 1\n=======\nbranch 1\n>>>>>>> branch\n';
    expect(await resolve('a')).toMatchObject({
      code: 0,
      out: changed([1, marked], [7, 'branch 7\n']),
      err: expect.stringContaining('--take branch'),
    });
    expect(JSON.parse((await resolve('a', '--json')).out)).toMatchObject({
      versions: { base: { isText: true } },
      places: [{ both: true }, { both: false }],
    });
    expect(await resolve('b')).toMatchObject({ code: 5, err: expect.stringContaining('No conflict: b') });
    const merged = join(dirname(place.folder), 'merged');
    writeFileSync(merged, changed([1, 'both 1\n'], [7, 'branch 7\n']));
    expect(await resolve('a', '--file', merged)).toMatchObject({ code: 0 });
    writeFileSync(merged, changed([1, marked]));
    expect(await resolve('c', '--file', merged)).toMatchObject({ code: 2, err: expect.stringContaining('A mark of a conflict is left') });
    expect(await resolve('c', '--places', 'both,other')).toMatchObject({ code: 2, err: expect.stringContaining('Say which version counts') });
    expect(await resolve('c', '--places', 'both,branch')).toMatchObject({ code: 2, err: expect.stringContaining('changed 1 place of c, and 2') });
    expect(await resolve('c', '--places', 'both')).toMatchObject({ code: 0, err: expect.stringContaining('the lines of both sides are taken') });
    expect(await branch.apply()).toMatchObject({ applied: 2, conflicts: [] });
    expect(read('a')).toBe(changed([1, 'both 1\n'], [7, 'branch 7\n']));
    expect(read('c')).toBe(changed([1, 'person 1\nbranch 1\n'], [7, 'branch 7\n']));
  });

  it('applies hunks by their numbers, and the rest stays', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);
    const now = (...at: readonly number[]): string => lines.map((line, index) => (at.includes(index) ? `new ${index}\n` : line)).join('');
    const branch = await setUp({ 'src/a.txt': lines.join(''), b: 'a\n' });
    const { place, read } = branch;
    await branch.writeInside('src/a.txt', now(3, 20, 37));
    await branch.writeInside('b', 'b\n');
    const cli = async (...words: string[]) => await runCli(place, ['branch', ...words]);
    const diff = await cli('diff', 'fix', 'src/a.txt');
    expect(diff.out).toMatch(/\[1\] @@[^]*\+new 3\n[^]*\[2\] @@[^]*\+new 20\n[^]*\[3\] @@[^]*\+new 37\n/u);
    expect(diff.out).not.toContain('change b');
    expect(await cli('apply', 'fix', 'src/a.txt', '--hunks', '1,3')).toMatchObject({ code: 4, err: expect.not.stringContaining('new 20') });
    expect(read('src/a.txt')).toBe(lines.join(''));
    const applied = await cli('apply', 'fix', 'src/a.txt', '--hunks', '1,3', '--yes');
    expect(applied).toMatchObject({ code: 0, err: expect.stringMatching(/^[^]*1 change applied\.\n2 other changes of fix stay in the branch\.\n/u) });
    expect([read('src/a.txt'), read('b')]).toEqual([now(3, 37), 'a\n']);
    expect((await cli('diff', 'fix', '--stat')).out).toMatch(/^changed +b +\+1 -1\nchanged +src\/a\.txt +\+1 -1\n$/u);
    const refused = async (...words: string[]) => await cli('apply', 'fix', ...words, '--yes');
    expect(await refused('src/a.txt', '--hunks', '2')).toMatchObject({
      code: 2,
      err: expect.stringContaining('src/a.txt has 1 hunk, so none with the number 2.'),
    });
    expect(await refused('src/a.txt', '--hunks', '0')).toMatchObject({ code: 2 });
    expect(await refused('src/a.txt', 'b', '--hunks', '1')).toMatchObject({ code: 2, err: expect.stringContaining('Hunks are those of one file.') });
    expect(await refused('--hunks', '1')).toMatchObject({ code: 2 });
    expect(await refused('src/a.txt', '--hunks', 'ask')).toMatchObject({ code: 4 });
    expect(await cli('diff', 'fix', 'nope')).toMatchObject({
      code: 5,
      err: expect.stringContaining('The branch does not change nope, and no branch has this name.'),
    });
    expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
    expect(read('src/a.txt')).toBe(lines.join(''));
    expect(await refused()).toMatchObject({ code: 0 });
    expect([read('src/a.txt'), read('b')]).toEqual([now(3, 20, 37), 'b\n']);
  });
});
