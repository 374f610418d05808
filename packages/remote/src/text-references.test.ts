import fc from 'fast-check';
import { expect, it } from 'vitest';
import { putTexts, takeTexts, TextReferences } from './text-references.ts';

const long = 'ab\n"ä'.repeat(100);

it('a text that a value repeats travels once', () => {
  const value = { data: { stdout: long, output: `${long}x`, lines: [1, long.slice(5)] }, short: 'ab' };
  const taken = takeTexts(value, `header\n${long}`);
  expect(taken.value).toEqual({ data: { stdout: '', output: `${long}x`, lines: [1, ''] }, short: 'ab' });
  const back = putTexts(
    JSON.parse(JSON.stringify(taken.value)),
    `header\n${long}`,
    TextReferences.parse(JSON.parse(JSON.stringify(taken.references))),
  );
  expect(back).toEqual(value);
});

it('gives any value back', () => {
  const text = fc.string({ maxLength: 40, unit: 'binary' }).map((part) => part.repeat(20));
  fc.assert(
    fc.property(text, fc.jsonValue(), (output, other) => {
      const value = { other, output, part: output.slice(3), ['__proto__x']: [output] };
      const { value: left, references } = takeTexts(value, output);
      expect(putTexts(JSON.parse(JSON.stringify(left)), output, references)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it.each([
  [['ok'], 0, 1],
  [['missing'], 0, 1],
  [['__proto__', 'polluted'], 0, 1],
  [['text'], 0, 9],
  [['text'], 3, 1],
  [['text', 'length'], 0, 1],
] as const)('refuses a reference that leads nowhere: %j', (...reference) => {
  expect(() => putTexts({ ok: true, text: '' }, 'abc', TextReferences.parse([reference]))).toThrow(RangeError);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
