import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QUIET_MS, scrubbedOutput } from './scrubbed-output.ts';

const VALUE = 'ready-Zq8e3RtYuIoP0aSdFgHjKlXcVbNm';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function watched() {
  const said: string[] = [];
  const output = scrubbedOutput((stream, chunk) => void said.push(`${stream} ${chunk.toString()}`), [{ value: VALUE, places: [] }]);
  return { said, output };
}

it('shows the end of a line that begins a secret when nothing comes after it', () => {
  const { said, output } = watched();
  output.take('stdout', Buffer.from('over'));
  expect(said).toEqual(['stdout ove']);
  vi.advanceTimersByTime(QUIET_MS);
  expect(said).toEqual(['stdout ove', 'stdout r']);
  output.end();
  expect(said).toHaveLength(2);
});

it('masks a secret whose parts come one after the other, and shows nothing twice', () => {
  const { said, output } = watched();
  output.take('stderr', Buffer.from(VALUE.slice(0, 20)));
  vi.advanceTimersByTime(QUIET_MS - 1);
  output.take('stderr', Buffer.from(VALUE.slice(20)));
  output.take('stdout', Buffer.from('other'));
  output.end();
  vi.advanceTimersByTime(QUIET_MS);
  const all = (stream: string): string => said.flatMap((one) => (one.startsWith(stream) ? [one.slice(stream.length + 1)] : [])).join('');
  expect([all('stdout'), all('stderr')]).toEqual(['other', '*'.repeat(VALUE.length)]);
});
