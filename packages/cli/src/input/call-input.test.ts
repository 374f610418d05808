import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { callInput } from './call-input.ts';

it.each([
  [true, 'Ctrl+D'],
  [false, ''],
])('says at a terminal alone that it waits for the input: %j', async (isTTY, told) => {
  let text = '';
  const err = { isTerminal: isTTY, columns: 80, write: (part: string) => void (text += part), show: () => {} };
  const stdin = Object.assign(Readable.from(['{"path":', '"a"}']), { isTTY }) as unknown as NodeJS.ReadStream;
  expect(await callInput('-', { stdin, err, signal: new AbortController().signal })).toEqual({ path: 'a' });
  expect(text === '' ? '' : text).toContain(told);
  expect(text).toContain(told);
  expect(text === '').toBe(!isTTY);
});
