import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/** A workspace in which a command made the file x. */
async function setUp() {
  const bench = await temporaryHands({ a: 'a\n', 'd/b': 'b\n' }, { allow: [], approver: YES });
  const before = readTree(bench.folder);
  const call = async (tool: 'run_command' | 'move_path' | 'edit_file', input: object): Promise<string> => {
    const { ok, meta } = await bench.hands.call<string>(tool, input);
    expect(ok).toBe(true);
    return meta.callId;
  };
  const made = await call('run_command', { command: 'echo new > x; echo more >> a' });
  return {
    ...bench,
    before,
    call,
    made,
    move: async (from: string, to: string): Promise<string> => await call('move_path', { from, to }),
    undo: async (id: string): Promise<boolean> => (await bench.hands.undo({ call: id })).ok,
    text: (path: string): string | null => (existsSync(bench.at(path)) ? readFileSync(bench.at(path), 'utf8') : null),
  };
}

describe.skipIf((await findBubblewrap()) === undefined)('what a command made, and calls moved later', () => {
  it('is undone with the moves, all at once', async () => {
    await using bench = await setUp();
    await bench.move('x', 'y');
    await bench.call('edit_file', { path: 'y', edits: [{ old_text: 'new', new_text: 'newer' }] });
    await bench.move('y', 'd/z');
    expect(await bench.hands.undo({ last: 4 })).toMatchObject({ ok: true });
    expect(readTree(bench.folder)).toEqual(bench.before);
  });

  it('is undone one call after the other, and all of that again', async () => {
    await using bench = await setUp();
    const moves = [await bench.move('x', 'y'), await bench.move('y', 'd/z')];
    for (const id of moves.toReversed()) expect(await bench.undo(id)).toBe(true);
    expect(await bench.undo(bench.made)).toBe(true);
    expect(readTree(bench.folder)).toEqual(bench.before);
  });

  it('is undone after the undo of a move was undone', async () => {
    await using bench = await setUp();
    const undo = await bench.hands.undo({ call: await bench.move('x', 'y') });
    const redo = await bench.hands.undo({ call: undo.meta.callId });
    expect([redo.ok, bench.text('y')]).toEqual([true, 'new\n']);
    expect(await bench.undo(redo.meta.callId)).toBe(true);
    expect(await bench.undo(bench.made)).toBe(true);
    expect(readTree(bench.folder)).toEqual(bench.before);
  });

  it.each([
    ['before the move', true],
    ['after it', false],
  ])('is not undone where another program changed it %s', async (_, isBefore) => {
    await using bench = await setUp();
    const edit = (path: string): void => writeFileSync(bench.at(path), 'person\n');
    if (isBefore) edit('x');
    const move = await bench.move('x', 'y');
    if (!isBefore) edit('y');
    expect(await bench.undo(move)).toBe(true);
    expect(await bench.undo(bench.made)).toBe(false);
    expect([bench.text('x'), bench.text('a')]).toEqual(['person\n', 'a\nmore\n']);
  });
});
