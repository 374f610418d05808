import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkSum, SUM_LENGTH, withSum } from './frame-sum.ts';

const long = JSON.stringify({ type: 'x', id: 'i', data: 'd'.repeat(20_000), next: 7 });

it('a text with its sum is JSON with one more field, and of a known length', () => {
  const text = withSum('n', '{"type":"x"}');
  expect(JSON.parse(text)).toMatchObject({ type: 'x' });
  expect(text).toHaveLength('{"type":"x"}'.length + SUM_LENGTH);
  expect([checkSum('n', text), checkSum('n', withSum('n', long))]).toEqual(['fits', 'fits']);
});

it('a word has none, and a text of another connection does not fit', () => {
  expect(withSum('n', 'ping')).toBe('ping');
  expect(checkSum('n', '{"type":"x"}')).toBe('none');
  expect(checkSum('m', withSum('n', '{"type":"x"}'))).toBe('damaged');
});

it('any other character, any missing end, and any repetition is damage', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, by) => {
      const text = withSum('n', JSON.stringify({ value }));
      const index = at % text.length;
      const flipped = `${text.slice(0, index)}${String.fromCharCode(text.charCodeAt(index) ^ by)}${text.slice(index + 1)}`;
      for (const damaged of [flipped, text.slice(0, index), text + text.slice(index)]) expect(checkSum('n', damaged)).not.toBe('fits');
    }),
    { seed: 31 },
  );
});

it('the fields at both ends of a long text count', () => {
  const text = withSum('n', long);
  expect(checkSum('n', text.replace('"id":"i"', '"id":"j"'))).toBe('damaged');
  expect(checkSum('n', text.replace('"next":7', '"next":8'))).toBe('damaged');
  expect(checkSum('n', text.replace('dd', 'd'))).toBe('damaged');
});
