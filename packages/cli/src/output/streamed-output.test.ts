import { expect, it } from 'vitest';
import type { Output } from './output.ts';
import { streamedOutput } from './streamed-output.ts';

function fakeOutput(isTerminal: boolean): Output & { readonly text: () => string } {
  let text = '';
  return { isTerminal, columns: 80, write: (part) => void (text += part), show: () => {}, text: () => text };
}

it.each([
  [false, ['one\n', 'tw', 'o\nthr'], ['one\n', 'one\n', 'one\ntwo\n'], 'one\ntwo\nthr'],
  [true, ['one\n', 'tw', 'o\nthr'], ['one\n', 'one\n', 'one\ntwo\n'], 'one\ntwo\nthr\n'],
  // A progress bar in its final state, as in the answer.
  [false, ['10 %\r', '99 %\r\n', 'end\n'], ['', '99 %\n', '99 %\nend\n'], '99 %\nend\n'],
])('prints whole lines as they come, at a terminal: %j', (isTerminal, parts, shown, whole) => {
  const out = fakeOutput(isTerminal);
  const streamed = streamedOutput(out, fakeOutput(false), () => 0);
  const steps = parts.map((part) => {
    streamed.write(part);
    return out.text();
  });
  expect(steps).toEqual(shown);
  expect(streamed.finish()).toBe(true);
  expect(out.text()).toBe(whole);
});

it('says that nothing was printed, so that the answer is', () => {
  expect(streamedOutput(fakeOutput(true), fakeOutput(true), () => 0).finish()).toBe(false);
});

it('leaves out what a slow reader does not take, and says how much', () => {
  const [out, err] = [fakeOutput(false), fakeOutput(false)];
  let waiting = 0;
  const streamed = streamedOutput(out, err, () => waiting);
  streamed.write('one\n');
  waiting = 17 * 1024 * 1024;
  streamed.write('two\n');
  waiting = 0;
  streamed.write('three\n');
  streamed.finish();
  expect(out.text()).toBe('one\nthree\n');
  expect(err.text()).toContain('4B of the output were left out');
});
