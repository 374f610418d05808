import { expect, it } from 'vitest';
import { plain, Readers } from './reader.ts';

it('knows each reader once, and no more of them than fit in memory', () => {
  const readers = new Readers();
  const first = plain(readers, Buffer.from('secret'));
  expect(plain(readers, Buffer.from('secret'))).toBe(first);
  for (let at = 0; at < 60_000; at += 1) {
    plain(readers, Buffer.from(`other ${at}`));
    expect(readers.size).toBeLessThanOrEqual(25_000);
  }
  // One that is not known anymore goes on.
  const [second] = first.after('s'.charCodeAt(0));
  expect(second?.after('e'.charCodeAt(0))).toHaveLength(1);
});
