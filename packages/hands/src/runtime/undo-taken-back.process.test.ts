import { expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

it.skipIf((await findBubblewrap()) === undefined)(
  'an undo that fails in the middle is taken back, also where it had moved one entry to the place of another',
  async () => {
    await using bench = await temporaryHands({ 'a.txt': 'a\n', 'd/b.txt': 'b\n', 'd/e/c': 'c\n', 'k/z': 'z\n' }, { allow: [], approver: YES });
    const call = async (tool: 'run_command' | 'move_path', input: Record<string, string>): Promise<void> =>
      expect(await bench.hands.call<string>(tool, input)).toMatchObject({ ok: true });
    const first = readTree(bench.folder);
    await call('run_command', { command: 'mv -f a.txt x' });
    await call('move_path', { from: 'd', to: 'a.txt' });
    await call('move_path', { from: 'x', to: 'd/e' });
    const before = readTree(bench.folder);
    const undo = await bench.hands.undo({ last: 3 });
    expect(readTree(bench.folder)).toEqual(undo.ok ? first : before);
  },
);
