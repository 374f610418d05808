import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
const LATER: Approver = { name: 'later', ask: async () => ({ verdict: 'later' }) };

/** A workspace in which the changes of a command wait. */
async function setUp(command: string) {
  const bench = await temporaryHands(
    { 'd/x': 'old\n', 'd/deep/x': 'old\n', 'e/x': 'other\n', 'e/deep/x': 'other\n', 'g/x': 'person\n' },
    { allow: [], approver: YES },
  );
  const { meta } = await bench.hands.call('run_command', { command }, { approver: LATER });
  return {
    ...bench,
    handle: meta.pending ?? 'none',
    apply: async (handle: string) => {
      const result = await bench.hands.applyPending(handle);
      expect(result).toMatchObject({ ok: true });
      return result.ok ? result.data : undefined;
    },
    move: (from: string, to: string): void => renameSync(bench.at(from), bench.at(to)),
    text: (path: string): string | null => (existsSync(bench.at(path)) ? readFileSync(bench.at(path), 'utf8') : null),
  };
}

const swap = ({ move }: Awaited<ReturnType<typeof setUp>>): void => {
  move('d', 'away');
  move('e', 'd');
};

describe.skipIf((await findBubblewrap()) === undefined)('changes that wait while a folder is moved', () => {
  it.each([
    ['to where they make one', 'mkdir f; echo command > f/x', 'f/x', ({ move }) => move('g', 'f'), 'person\n', 'command\n'],
    ['to where they change a file', 'echo command > d/x', 'd/x', swap, 'other\n', 'command\n'],
    ['to where they delete a file', 'rm d/x', 'd/x', swap, 'other\n', null],
    ['to where they delete a folder', 'rm -r d/deep', 'd/deep/x', swap, 'other\n', null],
    ['and they change a file that is deleted', 'echo command > d/x', 'd/x', ({ at }) => rmSync(at('d/x')), null, 'command\n'],
    [
      'and they change a file whose folder is deleted',
      'echo command > d/x',
      'd/x',
      ({ at }) => rmSync(at('d'), { recursive: true }),
      null,
      'command\n',
    ],
  ] satisfies ReadonlyArray<readonly [string, string, string, (bench: Awaited<ReturnType<typeof setUp>>) => void, string | null, string | null]>)(
    'are a conflict, %s; applied again, they count',
    async (_, command, path, meanwhile, kept, own) => {
      await using bench = await setUp(command);
      meanwhile(bench);
      const { applied, conflicts } = (await bench.apply(bench.handle)) ?? {};
      expect([applied, conflicts?.length]).toEqual([0, 1]);
      expect(`${path}/`.startsWith(`${conflicts?.[0]?.path}/`)).toBe(true);
      expect(bench.text(path)).toBe(kept);
      expect(await bench.apply(conflicts?.[0]?.handle ?? '')).toMatchObject({ applied: 1, conflicts: [] });
      expect(bench.text(path)).toBe(own);
    },
  );

  it.each([
    [
      'away and back',
      [
        ['d', 'away'],
        ['away', 'd'],
      ],
      ['command\n', 'command\n', 'other\n'],
    ],
    [
      'to where they add another file',
      [
        ['e', 'away'],
        ['g', 'e'],
      ],
      ['command\n', 'command\n', 'person\n'],
    ],
  ] as const)('are applied, %s', async (_, moves, texts) => {
    await using bench = await setUp('echo command > d/x; echo command > e/y');
    for (const [from, to] of moves) bench.move(from, to);
    expect(await bench.apply(bench.handle)).toMatchObject({ applied: 2, conflicts: [] });
    expect(['d/x', 'e/y', 'e/x'].map(bench.text)).toEqual(texts);
  });

  it('are applied one after the other where they made a folder anew: the second keeps what the first applied', async () => {
    await using bench = await setUp('rm -r g; mkdir g; echo command > g/x; echo command > g/y');
    writeFileSync(bench.at('g/x'), 'changed\n');
    const first = await bench.apply(bench.handle);
    expect(first).toMatchObject({ applied: 1, conflicts: [{ path: 'g/x' }] });
    expect(await bench.apply(first?.conflicts[0]?.handle ?? '')).toMatchObject({ applied: 1, conflicts: [] });
    expect(['g/x', 'g/y'].map(bench.text)).toEqual(['command\n', 'command\n']);
  });

  it.each([
    ['nothing', (file: string) => rmSync(file)],
    ['half of it', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5))],
  ] as const)('are applied where %s says what they replace, by the times of entries', async (_, damage) => {
    await using bench = await setUp('echo command > d/x; echo command > e/x');
    const [file = '', ...more] = globSync('transactions/*/*/replaced', { cwd: join(bench.folder, '../state') });
    expect([file, more]).not.toContain('');
    damage(join(bench.folder, '../state', file));
    writeFileSync(bench.at('d/x'), 'person\n');
    expect(await bench.apply(bench.handle)).toMatchObject({ applied: 1, conflicts: [{ path: 'd/x' }] });
  });
});
