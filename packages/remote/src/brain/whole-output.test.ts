import { describe, expect, it } from 'vitest';
import { WholeOutput } from './whole-output.ts';

const LINES = ['eins\n', 'zwei ä\n', 'drei €\n', 'vier \u{1F600}\n', 'fünf\n'];
const WHOLE = LINES.join('');
const bytes = (text: string): number => Buffer.byteLength(text);
const offsets = LINES.map((_, index) => bytes(LINES.slice(0, index).join('')));

/** A machine that keeps the output, of which it has `kept` lines so far. */
function machine(kept = LINES.length) {
  const seen: string[] = [];
  const reads: number[] = [];
  const state = { kept };
  const output = new WholeOutput(
    (text) => void seen.push(text),
    async (from) => {
      reads.push(from);
      return Buffer.from(LINES.slice(0, state.kept).join('')).subarray(from).toString('utf8');
    },
  );
  const take = (index: number): void => output.take({ off: offsets[index] ?? 0, data: LINES[index] ?? '' });
  return { output, seen, reads, state, take, text: () => seen.join('') };
}

describe('the whole output', () => {
  it('arrives as it is written', async () => {
    const at = machine();
    at.take(0);
    at.take(1);
    expect(at.text()).toBe('eins\nzwei ä\n');
    for (const index of [2, 3, 4]) at.take(index);
    await at.output.finish(undefined);
    expect([at.text(), at.reads]).toEqual([WHOLE, [bytes(WHOLE)]]);
  });

  it.each(Array.from({ length: 2 ** LINES.length - 1 }, (_, index) => index + 1))(
    'is complete and in order, whichever pieces come: %i',
    async (which) => {
      const at = machine();
      for (const [index] of LINES.entries()) {
        if ((which & (1 << index)) === 0) continue;
        at.take(index);
        // Twice, as after a broken connection.
        at.take(index);
        if (which % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await at.output.finish(undefined);
      expect(at.text()).toBe(WHOLE);
    },
  );

  it('is read from where it was lost, while the call still runs', async () => {
    const at = machine(3);
    at.take(0);
    at.take(2);
    await expect.poll(at.text).toBe(LINES.slice(0, 3).join(''));
    expect(at.reads).toEqual([bytes(LINES[0] ?? '')]);
    at.state.kept = 5;
    await at.output.finish(undefined);
    expect(at.text()).toBe(WHOLE);
  });

  it('that never began is left to the result', async () => {
    const at = machine();
    await at.output.finish(undefined);
    expect([at.seen, at.reads]).toEqual([[], []]);
  });

  it('is not read any more once the call was cancelled', async () => {
    const at = machine();
    at.take(0);
    await at.output.finish(AbortSignal.abort());
    expect([at.text(), at.reads]).toEqual(['eins\n', []]);
  });

  it('says that its rest could not be read', async () => {
    const seen: string[] = [];
    const output = new WholeOutput(
      (text) => void seen.push(text),
      () => Promise.reject(new Error('gone')),
    );
    output.take({ off: 0, data: 'a\n' });
    output.take({ off: 10, data: 'b\n' });
    await output.finish(undefined);
    expect(seen.join('')).toMatch(/^a\n\n⟨The rest of the output could not be read: .*⟩\n$/u);
  });
});
