import { expect, it } from 'vitest';
import { NameQueue } from './name-queue.ts';

it('takes names that come in several pieces, at once and after others have had their turn', async () => {
  const seen: string[] = [];
  const queue = new NameQueue((found) => seen.push(found.toString()), new AbortController().signal);
  queue.add(Buffer.from('a\0b'));
  queue.add(Buffer.from('c\0d\0'));
  await queue.done();
  queue.add(Buffer.from('e\0'));
  await queue.done();
  expect(seen).toEqual(['a', 'bc', 'd', 'e']);
});

it('loses nothing of many names while other work runs', async () => {
  let count = 0;
  const queue = new NameQueue(() => (count += 1), new AbortController().signal);
  const names = Buffer.from('some/name\0'.repeat(20_000));
  for (let at = 0; at < names.length; at += 4_093) queue.add(names.subarray(at, at + 4_093));
  await queue.done();
  expect(count).toBe(20_000);
});
