import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { TypedLines } from './line-reader.ts';

function typing(): { readonly stdin: PassThrough; readonly lines: TypedLines; readonly type: (text: string) => void } {
  const stdin = new PassThrough();
  const readline = createInterface({ input: stdin });
  onTestFinished(() => readline.close());
  return { stdin, lines: new TypedLines(readline), type: (text) => readline.write(text) };
}

it('withdraws a read that has its line already from no other read', async () => {
  const { lines, type } = typing();
  const controller = new AbortController();
  const first = lines.next(controller.signal);
  const second = lines.next(new AbortController().signal);
  type('one\n');
  controller.abort();
  type('two\n');
  expect(await Promise.all([first, second])).toEqual(['one', 'two']);
});

it('reads input ahead up to a limit, and all of it in the end', async () => {
  const { stdin, lines } = typing();
  const total = 20_000;
  for (let line = 0; line < total; line += 1) stdin.write(`${line}\n`);
  stdin.end();
  const { signal } = new AbortController();
  expect(await lines.next(signal)).toBe('0');
  await new Promise(setImmediate);
  expect(stdin.readableLength).toBeGreaterThan(0);
  let last = '0';
  for (let line = await lines.next(signal); line !== undefined; line = await lines.next(signal)) last = line;
  expect(last).toBe(String(total - 1));
});
