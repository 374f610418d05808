import { Script } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { linePattern } from './line-pattern.ts';

afterEach(() => void vi.restoreAllMocks());

/** The time-out of a match that had the processor for some milliseconds. */
function timeOuts(count: number, computedMs: number) {
  const late = Object.assign(new Error('Script execution timed out after 500ms'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: computedMs * 1_000, system: 0 });
  const runs = vi.spyOn(Script.prototype, 'runInContext');
  for (let time = 0; time < count; time += 1) {
    runs.mockImplementationOnce(() => {
      throw late;
    });
  }
  return runs;
}

it('is tried again where the machine had no time for it', () => {
  timeOuts(3, 100);
  expect(linePattern('grep', '^b')(['a', 'b'])).toEqual(['b']);
});

it.each([
  ['had its time', 1, 450],
  ['never gets it', 4, 100],
])('is given up where it %s', (_, count, computedMs) => {
  const runs = timeOuts(count, computedMs);
  expect(() => linePattern('grep', '^b')(['a', 'b'])).toThrow('takes longer than 500 ms on this output');
  expect(runs).toHaveBeenCalledTimes(count);
});
