import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { BranchStore } from './branch-store.ts';
import type { Choice } from './resolve-conflict.ts';

const LINES = Array.from({ length: 12 }, (_, index) => `${index}\n`);
const text = (...changes: readonly (readonly [number, string])[]): string =>
  changes.reduce((lines, [at, line]) => lines.with(at, line), LINES).join('');

describe.skipIf((await findBubblewrap()) === undefined)('a conflict', () => {
  it('gets the lines of both sides, with the chosen ones at each place that both changed', async () => {
    await using bench = await temporaryHands({ a: text(), b: text() });
    const { hands, at } = bench;
    await using branch = await hands.branch('one');
    for (const path of ['a', 'b'])
      expect(await branch.call('write_file', { path, content: text([1, 'branch\n'], [6, 'branch\n'], [10, 'alone\n']) })).toMatchObject({ ok: true });
    await branch[Symbol.asyncDispose]();
    for (const path of ['a', 'b']) writeFileSync(at(path), text([1, 'person\n'], [3, 'mine\n'], [6, 'person\n']));
    const resolve = async (path: string, choice: Choice) => await hands.resolveBranch('one', path, choice);
    for (const places of [[], ['branch'], ['branch', 'branch', 'both']] as const)
      expect(await resolve('a', { places })).toMatchObject({
        error: { code: 'invalid_arguments', message: expect.stringContaining('2 places of a') },
      });
    const marked = (await hands.showConflict('one', 'a')).marked ?? '';
    expect(await resolve('a', { content: Buffer.from(marked) })).toMatchObject({ error: { message: expect.stringContaining('on line 2: <<<<<<<') } });
    expect(await resolve('a', { places: ['both', 'workspace'] })).toMatchObject({ ok: true, data: { take: 'places' } });
    expect(await resolve('b', { places: 'branch' })).toMatchObject({ ok: true });
    expect(readFileSync(at('a'), 'utf8')).toBe(text([1, 'person\n'], [3, 'mine\n'], [6, 'person\n']));
    expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 2, conflicts: [] } });
    expect(readFileSync(at('a'), 'utf8')).toBe(text([1, 'person\nbranch\n'], [3, 'mine\n'], [6, 'person\n'], [10, 'alone\n']));
    expect(readFileSync(at('b'), 'utf8')).toBe(text([1, 'branch\n'], [3, 'mine\n'], [6, 'branch\n'], [10, 'alone\n']));
  });

  it('is shown with what the branch began with, what it has, and what the workspace has', async () => {
    const files = ['a', 'gone', 'binary', 'link', 'folder', 'unrecorded', '.env'];
    await using bench = await temporaryHands(Object.fromEntries(files.map((path) => [path, text()])));
    const { hands, at } = bench;
    await using branch = await hands.branch('one');
    for (const path of files.filter((one) => one !== 'unrecorded' && one !== '.env'))
      expect(await branch.call('write_file', { path, content: text([3, 'branch\n'], [8, 'more\n']) })).toMatchObject({ ok: true });
    expect(await branch.call('run_command', { command: 'echo branch > unrecorded' })).toMatchObject({ ok: true });
    await branch[Symbol.asyncDispose]();
    // A person's program may.
    writeFileSync(join(new BranchStore(join(bench.folder, '../state'), bench.folder).get('one').folder.upper, '.env'), 'KEY=branch\n');
    writeFileSync(at('.env'), 'KEY=workspace\n');
    writeFileSync(at('a'), text([3, 'workspace\n']));
    rmSync(at('gone'));
    writeFileSync(at('binary'), '\0');
    for (const path of ['link', 'folder']) rmSync(at(path));
    symlinkSync('a', at('link'));
    mkdirSync(at('folder'));
    const shown = await hands.showConflict('one', './a');
    expect(shown).toMatchObject({
      path: 'a',
      branch: 'changed',
      workspace: 'changed',
      more: 0,
      mergeable: true,
      places: [
        {
          both: true,
          before: ['0\n', '1\n', '2\n'],
          base: { line: 4, lines: ['3\n'] },
          branch: { lines: ['branch\n'] },
          workspace: { lines: ['workspace\n'] },
        },
        { both: false, base: { lines: ['8\n'] }, branch: { lines: ['more\n'] }, workspace: { lines: ['8\n'] } },
      ],
    });
    expect(shown.marked).toBe(text([3, '<<<<<<< workspace\nworkspace\n||||||| base\n3\n=======\nbranch\n>>>>>>> branch\n'], [8, 'more\n']));
    const versions = async (path: string): Promise<readonly string[]> => {
      const { versions: all, places } = await hands.showConflict('one', path);
      return [all.base.what, all.branch.what, all.workspace.what, `${places.length}`];
    };
    const [plain, changed] = ['text, 26B', 'text, 34B'];
    expect(await versions('gone')).toEqual([plain, changed, 'does not exist', '1']);
    expect(await versions('binary')).toEqual([plain, changed, 'binary, 1B', '0']);
    expect(await versions('link')).toEqual([plain, changed, 'a link to a', '0']);
    expect(await versions('folder')).toEqual([plain, changed, 'a folder', '0']);
    await expect(versions('unrecorded')).rejects.toMatchObject({ code: 'not_found', hint: expect.stringContaining('The conflicts are .env, a, ') });
    const closed = 'not shown, as reading it is not allowed';
    expect(await versions('.env')).toEqual([closed, closed, closed, '0']);
    expect(await hands.resolveBranch('one', 'a', { content: Buffer.from('both\n') })).toMatchObject({ ok: true });
    await expect(versions('a')).rejects.toMatchObject({ code: 'not_found' });
    for (const path of ['gone', 'binary', 'link', 'folder', '.env'])
      expect(await hands.resolveBranch('one', path, { places: 'both' }), path).toMatchObject({ ok: false, error: { code: 'wrong_type' } });
  });
});
