import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { BranchStore } from './branch-store.ts';
import { holdBranch } from './hold-branch.ts';
import { hunksIn } from './hunks.ts';

const works = (await findBubblewrap()) !== undefined;
const { signal } = new AbortController();
const LINES = Array.from({ length: 30 }, (_, index) => `${index}\n`);
const OLD = LINES.join('');
/** Three places of {@link OLD}, each 10 lines from the next one. */
const edited = (...changes: readonly (readonly [number, string])[]): string =>
  changes.reduce((lines, [at, line]) => lines.with(at, line), LINES).join('');
const [FIRST, SECOND, THIRD] = [
  [2, 'two\n'],
  [14, 'b\nc\n'],
  [27, 'end\n'],
] as const;
const NOW = edited(FIRST, SECOND, THIRD);

/** Runs a script in a branch, with its input as `$1`. */
async function inside({ folder }: TemporaryHands, script: string, input = ''): Promise<string> {
  const stateFolder = join(folder, '../state');
  const stored = new BranchStore(stateFolder, folder).get('one');
  using held = await holdBranch(stored.folder, stored.record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
  const [program, ...words] = held.enter(['/bin/sh', '-ec', script, 'sh', input], folder);
  return execFileSync(program, words, { encoding: 'utf8' });
}

const put = 'printf %s "$1" > a';
const read = ({ at }: TemporaryHands, path = 'a'): string => readFileSync(at(path), 'utf8');
const take = (...numbers: number[]) => ({ paths: ['a'], hunks: [{ path: 'a', take: numbers }] });

async function hunksNow({ hands }: TemporaryHands, path = 'a'): Promise<string[]> {
  const { changes } = await hands.showBranch('one');
  return hunksIn(changes.find((one) => one.path === path)?.diff ?? '').map(({ text }) => text);
}

async function apply({ hands }: TemporaryHands, ...numbers: number[]): Promise<{ readonly left: number; readonly callId: string }> {
  const result = await hands.applyBranch('one', numbers.length === 0 ? {} : take(...numbers));
  if (!result.ok) throw new Error(result.error.message);
  expect(result.data.conflicts).toEqual([]);
  return { left: result.data.left, callId: result.meta.callId };
}

describe.skipIf(!works)('hunks of a branch', () => {
  it('are applied without the others, which stay in the branch', async () => {
    await using bench = await temporaryHands({ a: OLD, b: 'b\n' });
    await bench.hands.createBranch('one');
    await inside(bench, `${put}; echo c > b; chmod 600 a`, NOW);
    const before = await hunksNow(bench);
    expect(before.length).toBe(3);
    const shown = await bench.hands.showBranch('one', take(2));
    expect(
      shown.changes.map(({ path, diff }) => [path, hunksIn(diff ?? '').map(({ text }) => text.split('\n').filter((line) => /^[-+]/u.test(line)))]),
    ).toEqual([['a', [['-14', '+b', '+c']]]]);
    expect(await apply(bench, 2)).toMatchObject({ left: 2 });
    expect([read(bench), read(bench, 'b'), statSync(bench.at('a')).mode & 0o777]).toEqual([edited(SECOND), 'b\n', 0o644]);
    expect([await inside(bench, 'cat a'), (await hunksNow(bench)).length]).toEqual([NOW, 2]);
    await apply(bench, 1);
    expect(read(bench)).toBe(edited(FIRST, SECOND));
    expect(await apply(bench)).toMatchObject({ left: 0 });
    expect([read(bench), read(bench, 'b'), statSync(bench.at('a')).mode & 0o777]).toEqual([NOW, 'c\n', 0o600]);
    expect((await bench.hands.showBranch('one')).changes).toEqual([]);
  });

  it('come back to the branch when they are undone', async () => {
    await using bench = await temporaryHands({ a: OLD });
    await bench.hands.createBranch('one');
    await inside(bench, put, NOW);
    const before = await hunksNow(bench);
    const first = await apply(bench, 2);
    const second = await apply(bench, 1);
    expect(await bench.hands.undo({ call: second.callId })).toMatchObject({ ok: true });
    expect([read(bench), (await hunksNow(bench)).length]).toEqual([edited(SECOND), 2]);
    expect(await bench.hands.undo({ call: first.callId })).toMatchObject({ ok: true });
    expect([read(bench), await hunksNow(bench)]).toEqual([OLD, before]);
    await apply(bench);
    expect([read(bench), (await bench.hands.showBranch('one')).changes]).toEqual([NOW, []]);
  });

  it.each([
    ['which are merged', [8, 'person\n'], { ok: true, data: { merged: ['a'] } }, edited(FIRST, [8, 'person\n'], SECOND, THIRD)],
    ['which are a conflict in the same lines', [2, 'person\n'], { data: { conflicts: [{ path: 'a' }] } }, edited([2, 'person\n'], SECOND)],
  ] as const)('keep what the workspace changed before a call that was undone, %s', async (_, line, result, text) => {
    await using bench = await temporaryHands({ a: OLD });
    await bench.hands.createBranch('one');
    await inside(bench, put, NOW);
    await apply(bench, 2);
    writeFileSync(bench.at('a'), edited(line, SECOND));
    const last = await bench.hands.call('write_file', { path: 'a', content: 'something else' });
    expect(await bench.hands.undo({ call: last.meta.callId })).toMatchObject({ ok: true });
    expect(await bench.hands.applyBranch('one')).toMatchObject(result);
    expect(read(bench)).toBe(text);
  });

  it('leave a rest that is merged with what both sides change later', async () => {
    await using bench = await temporaryHands({ a: OLD });
    await bench.hands.createBranch('one');
    await inside(bench, put, NOW);
    await apply(bench, 2);
    writeFileSync(bench.at('a'), edited(SECOND, [8, 'person\n']));
    await inside(bench, put, edited(FIRST, SECOND, THIRD, [20, 'more\n']));
    expect((await bench.hands.showBranch('one')).merged).toEqual(['a']);
    await apply(bench);
    expect(read(bench)).toBe(edited(FIRST, [8, 'person\n'], SECOND, [20, 'more\n'], THIRD));
  });

  it('of a merged file are those of the merge, and the branch has it from then on', async () => {
    await using bench = await temporaryHands({ a: OLD });
    await using branch = await bench.hands.branch('one');
    expect(await branch.call('write_file', { path: 'a', content: NOW })).toMatchObject({ ok: true });
    await branch[Symbol.asyncDispose]();
    writeFileSync(bench.at('a'), edited([8, 'person\n']));
    expect((await bench.hands.showBranch('one')).merged).toEqual(['a']);
    await apply(bench, 3);
    expect(read(bench)).toBe(edited([8, 'person\n'], THIRD));
    expect(await inside(bench, 'cat a')).toBe(edited(FIRST, [8, 'person\n'], SECOND, THIRD));
    expect([(await hunksNow(bench)).length, (await bench.hands.showBranch('one')).merged]).toEqual([2, []]);
    await apply(bench);
    expect(read(bench)).toBe(edited(FIRST, [8, 'person\n'], SECOND, THIRD));
  });

  it('are a whole file if all are chosen, and go with other files that are applied whole', async () => {
    await using bench = await temporaryHands({ a: OLD, b: 'b\n' });
    await bench.hands.createBranch('one');
    await inside(bench, `${put}; echo c > b`, NOW);
    const result = await bench.hands.applyBranch('one', { hunks: [{ path: 'a', take: [1, 3] }] });
    expect(result).toMatchObject({ ok: true, data: { applied: 2, left: 1 } });
    expect([read(bench), read(bench, 'b')]).toEqual([edited(FIRST, THIRD), 'c\n']);
    expect(await apply(bench, 1)).toMatchObject({ left: 0 });
    expect([read(bench), (await bench.hands.showBranch('one')).changes]).toEqual([NOW, []]);
  });

  it('are only those that the person saw', async () => {
    await using bench = await temporaryHands({ a: OLD });
    await bench.hands.createBranch('one');
    await inside(bench, put, NOW);
    const [first = '', second = ''] = await hunksNow(bench);
    const choose = async (seen: string[]) => await bench.hands.applyBranch('one', { hunks: [{ path: 'a', take: [1, 2], seen }] });
    await inside(bench, put, edited(FIRST, [14, 'other\n'], THIRD));
    expect(await choose([first, second])).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(read(bench)).toBe(OLD);
    await inside(bench, put, NOW);
    expect(await choose([first])).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(await choose([first, second])).toMatchObject({ ok: true });
    expect(read(bench)).toBe(edited(FIRST, SECOND));
  });

  it('are refused, with the reason, where there are none', async () => {
    const other = { gone: 'x\n', binary: '\0a', latin: 'a', mode: 'm\n', link: 'l', big: 'x'.repeat(2_100_000), both: 'both\n', same: 's\n' };
    await using bench = await temporaryHands({ a: OLD, ...other });
    const { hands, at } = bench;
    await using branch = await hands.branch('one');
    expect(await branch.call('write_file', { path: 'both', content: 'branch\n' })).toMatchObject({ ok: true });
    expect(await branch.call('write_file', { path: 'same', content: 't\n' })).toMatchObject({ ok: true });
    await branch[Symbol.asyncDispose]();
    const script = String.raw`${put}; rm gone link; printf '\0b' > binary; printf '\351' > latin; chmod 755 mode; echo y >> big; echo n > new; ln -s a link; mkdir d; echo x > d/x`;
    await inside(bench, script, NOW);
    writeFileSync(at('both'), 'workspace\n');
    writeFileSync(at('same'), 't\n');
    const why = async (path: string, ...numbers: number[]): Promise<string> => {
      const result = await hands.applyBranch('one', { paths: [path], hunks: [{ path, take: numbers.length === 0 ? [1] : numbers }] });
      return result.ok ? 'applied' : `${result.error.code}: ${result.error.message}`;
    };
    const none = (path: string, reason: string): string => `wrong_type: ${path} cannot be applied by hunk: ${reason}.`;
    expect(await why('new')).toBe(none('new', 'it is new'));
    expect(await why('gone')).toBe(none('gone', 'it is deleted'));
    expect(await why('binary')).toBe(none('binary', 'it is no text in UTF-8'));
    expect(await why('latin')).toBe(none('latin', 'it is no text in UTF-8'));
    expect(await why('mode')).toBe(none('mode', 'only its permissions change'));
    expect(await why('link')).toBe(none('link', 'it is no file'));
    expect(await why('big')).toBe(none('big', 'it has more than 2 MB'));
    expect(await why('d')).toBe(none('d', 'it is new'));
    expect(await why('both')).toContain('a version must be chosen first');
    expect(await why('same')).toBe(none('same', 'the workspace has it already'));
    expect(await why('b')).toBe('not_found: The branch does not change b.');
    expect(await why('a', 4)).toBe('invalid_arguments: a has 3 hunks, so none with the number 4.');
    expect(read(bench)).toBe(OLD);
    // Each of them can still be applied as a whole.
    expect(await hands.applyBranch('one')).toMatchObject({ ok: true, data: { conflicts: [{ path: 'both' }] } });
    expect([read(bench), statSync(at('mode')).mode & 0o777]).toEqual([NOW, 0o755]);
  });

  it('are those of the named file alone, also in a folder', async () => {
    await using bench = await temporaryHands({ a: OLD, 'd/a': OLD });
    await bench.hands.createBranch('one');
    await inside(bench, `${put}; cp a d/a`, NOW);
    const result = await bench.hands.applyBranch('one', { paths: ['./d/a'], hunks: [{ path: './d/a', take: [3] }] });
    expect(result).toMatchObject({ ok: true, data: { applied: 1, left: 2 } });
    expect([read(bench), read(bench, 'd/a')]).toEqual([OLD, edited(THIRD)]);
  });
});
