import { describe, expect, it } from 'vitest';
import { triesInVain } from './stall-detector.ts';
import { settlesInTime } from './run-command.ts';

describe('a command that is refused by the network', () => {
  const looks = (counts: readonly number[], silentMs = 5_000): boolean[] => {
    let at = 0;
    const isInVain = triesInVain(
      () => counts[at] ?? 0,
      () => silentMs,
    );
    return counts.map((_, index) => {
      at = index;
      return isInVain();
    });
  };

  it('tries in vain once it was refused again, and said nothing', () => {
    expect(looks([2, 4])).toEqual([false, true]);
    expect(looks([0, 2, 2, 4, 6])).toEqual([false, false, false, false, true]);
  });

  it.each([
    ['once', [2, 2, 2], 5_000],
    ['and goes on to something else', [2, 2, 4, 4], 5_000],
    ['and says so', [2, 4, 6], 100],
    ['never', [0, 0, 0], 5_000],
  ] as const)('does not where it is refused %s', (_, counts, silentMs) => {
    expect(looks(counts, silentMs)).not.toContain(true);
  });
});

it('what settles is not looked at', async () => {
  expect(await settlesInTime(Promise.resolve(), 60_000, () => Promise.resolve('why'))).toBe('settled');
  expect(await settlesInTime(new Promise(() => {}), 1, () => Promise.resolve(undefined))).toBe('late');
  expect(await settlesInTime(new Promise(() => {}), 1, () => Promise.resolve('why'))).toEqual({ vain: 'why' });
});
