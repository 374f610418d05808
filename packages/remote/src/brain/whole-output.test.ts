import { afterEach, describe, expect, it, vi } from 'vitest';
import { WholeOutput } from './whole-output.ts';

const SILENCE_MS = 10_000;
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
    SILENCE_MS,
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
      SILENCE_MS,
    );
    output.take({ off: 0, data: 'a\n' });
    output.take({ off: 10, data: 'b\n' });
    await output.finish(undefined);
    expect(seen.join('')).toMatch(/^a\n\n⟨The rest of the output could not be read: .*⟩\n$/u);
  });
});

describe('a read that is never answered', () => {
  afterEach(() => void vi.useRealTimers());

  /** The output of a call whose machine went away. `heard` lets a part of the answer arrive, `answer` all of it. */
  function gone() {
    vi.useFakeTimers();
    const seen: string[] = [];
    const read = Promise.withResolvers<string>();
    const heard: Array<() => void> = [];
    const signals: AbortSignal[] = [];
    const output = new WholeOutput(
      (text) => void seen.push(text),
      (_from, onHeard, signal) => (heard.push(onHeard), signals.push(signal), read.promise),
      SILENCE_MS,
    );
    output.take({ off: 0, data: 'a\n' });
    const given = (): boolean[] => signals.map(({ aborted }) => aborted);
    return { output, seen, given, heard: () => heard.at(-1)?.(), answer: (text: string) => read.resolve(text) };
  }

  it.each([
    ['after the end', false],
    ['while the call ran', true],
  ])('ends the wait for the rest: begun %s', async (_, isBehind) => {
    const { output, seen, given, answer } = gone();
    if (isBehind) output.take({ off: 10, data: 'b\n' });
    const finished = output.finish(undefined);
    await vi.advanceTimersByTimeAsync(SILENCE_MS);
    await finished;
    expect(seen.join('')).toBe('a\n\n⟨The rest of the output could not be read: The machine does not answer.⟩\n');
    expect(given()).toEqual([true]);
    // Nothing follows the note.
    answer('late');
    await vi.runAllTimersAsync();
    expect(seen).toHaveLength(2);
  });

  it('is waited for while parts of the answer arrive', async () => {
    const { output, seen, heard, answer } = gone();
    const finished = output.finish(undefined);
    for (let part = 0; part < 5; part += 1) {
      await vi.advanceTimersByTimeAsync(SILENCE_MS - 1);
      heard();
    }
    answer('b\n');
    await finished;
    expect(seen.join('')).toBe('a\nb\n');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up at once when the call is cancelled', async () => {
    const { output, seen } = gone();
    const stop = new AbortController();
    const finished = output.finish(stop.signal);
    await vi.advanceTimersByTimeAsync(1);
    stop.abort();
    await finished;
    expect([seen, vi.getTimerCount()]).toEqual([['a\n'], 0]);
  });
});
