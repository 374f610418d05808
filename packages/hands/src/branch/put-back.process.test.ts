import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy } from '../testing/branches-kept-by.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `${index}\n`);
const text = (...changes: ReadonlyArray<readonly [line: number, now: string]>): string =>
  changes.reduce((lines, [line, now]) => lines.with(line, `${now}\n`), LINES).join('');
const OLD = text();

describe.skipIf((await findBubblewrap()) === undefined).each(['overlay', 'copy'] as const)(
  'a file that an undo put back, in a branch kept as %s',
  (kept) => {
    const setUp = async (content = OLD) => {
      const bench = await branchesKeptBy(kept, { a: content });
      await bench.hands.createBranch('one');
      const change = async (to: string): Promise<string> => {
        const { ok, meta } = await bench.hands.call('write_file', { path: 'a', content: to });
        expect(ok).toBe(true);
        return meta.callId;
      };
      return { ...bench, change };
    };

    it('keeps what the workspace changed in it before, which is merged', async () => {
      await using bench = await setUp();
      await bench.write('one', 'a', text([1, 'branch']));
      await bench.change(text([10, 'person']));
      const last = await bench.change('something else');
      expect(await bench.hands.undo({ call: last })).toMatchObject({ ok: true });
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { merged: ['a'] } });
      expect(bench.text('a')).toBe(text([1, 'branch'], [10, 'person']));
    });

    it('is a conflict where the workspace had changed the same lines', async () => {
      await using bench = await setUp();
      await bench.write('one', 'a', text([1, 'branch']));
      await bench.change(text([1, 'person']));
      const last = await bench.change('something else');
      expect(await bench.hands.undo({ call: last })).toMatchObject({ ok: true });
      expect((await bench.hands.showBranch('one')).conflicts).toMatchObject([{ path: 'a' }]);
    });

    it('is a conflict where another program changed it in the branch, so that it is not known from what', async () => {
      await using bench = await setUp();
      await bench.run('one', 'sed -i s/^1$/branch/ a');
      await bench.change(text([10, 'person']));
      const last = await bench.change('something else');
      expect(await bench.hands.undo({ call: last })).toMatchObject({ ok: true });
      expect((await bench.hands.showBranch('one')).conflicts).toMatchObject([{ path: 'a' }]);
    });

    it.each([
      ['small', ''],
      // Too large for its content to be kept.
      ['large', '-'.repeat(3 * 1024 * 1024)],
    ])('is as the branch first saw it where nothing else changed it, %s', async (_, more) => {
      await using bench = await setUp(OLD + more);
      await bench.write('one', 'a', text([1, 'branch']) + more);
      const last = await bench.change('something else');
      expect(await bench.hands.undo({ call: last })).toMatchObject({ ok: true });
      expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true, data: { applied: 1, conflicts: [] } });
      expect(bench.text('a')).toBe(text([1, 'branch']) + more);
    });
  },
);
