import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NameSplitter } from './name-splitter.ts';

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
