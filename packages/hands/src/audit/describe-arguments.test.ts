import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonBytes } from './describe-arguments.ts';

it('counts as JSON does', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
});

it.each(['', 'plain/path.ts', '"', '\\', '\n', '\u007f', 'ü', '\u{1F600}', '\ud800'])('counts %j', (text) => {
  expect(jsonBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
});
