import { expect, it } from 'vitest';
import { NameQueue, NameSplitter } from './name-queue.ts';
import * as fc from 'fast-check';

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

it('gives back names of any bytes wherever the chunks are cut', () => {
  const name = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes.map((byte) => byte || 1)));
  fc.assert(
    fc.property(fc.array(name), fc.integer({ min: 1, max: 40 }), (names, size) => {
      const stream = Buffer.concat(names.flatMap((one) => [one, Buffer.from([0])]));
      const splitter = new NameSplitter();
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) found.push(...splitter.push(stream.subarray(at, at + size)));
      expect(found.map((one) => one.toString('hex'))).toEqual(names.map((one) => one.toString('hex')));
    }),
  );
});

it('does not keep a name without end', () => {
  const splitter = new NameSplitter();
  for (let count = 0; count < 3; count += 1) expect([...splitter.push(Buffer.alloc(50_000, 'x'))]).toEqual([]);
  const [rest] = splitter.push(Buffer.from('a\0'));
  expect(rest?.length).toBeLessThan(60_000);
});
