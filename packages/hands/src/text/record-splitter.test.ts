import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecordSplitter, splitRecords } from './record-splitter.ts';

/** A text in pieces, cut wherever. */
const pieces = fc.array(fc.uint8Array({ maxLength: 12, max: 3 }), { maxLength: 12 });

it('gives the same records however the stream is cut', () => {
  fc.assert(
    fc.property(pieces, (chunks) => {
      const records: string[] = [];
      const splitter = new RecordSplitter((record) => records.push(record.toString('latin1')));
      for (const chunk of chunks) splitter.write(Buffer.from(chunk));
      splitter.end();
      const whole = Buffer.concat(chunks).toString('latin1').split('\0');
      if (whole.at(-1) === '') whole.pop();
      expect(records).toEqual(whole);
    }),
  );
});

it('gives back what is after the record that was waited for', () => {
  let count = 0;
  const splitter = new RecordSplitter(() => (count += 1));
  expect(splitter.write(Buffer.from('a\0b\0c\0d'), () => count === 2).toString()).toBe('c\0d');
});

it('keeps the beginning of a record that is too long', () => {
  const records: string[] = [];
  const splitter = new RecordSplitter((record) => records.push(record.toString()), { maxBytes: 4 });
  for (const chunk of ['abc', 'def', 'ghi\0x', '\0']) splitter.write(Buffer.from(chunk));
  expect(records).toEqual(['abcd', 'x']);
});

it('splits what is whole', () => expect(splitRecords(Buffer.from('a\0\0b')).map(String)).toEqual(['a', '', 'b']));
