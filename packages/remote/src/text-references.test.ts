import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('refuses references that make a result many times as large as what was sent', () => {
  const names = Array.from({ length: 64 }, (_, index) => `text${index}`);
  const put = (count: number): unknown =>
    putTexts(
      Object.fromEntries(names.map((name) => [name, ''])),
      long,
      names.slice(0, count).map((name) => [[name], 0, long.length]),
    );
  expect(put(8)).toMatchObject({ text7: long, text8: '' });
  expect(() => put(9)).toThrow(RangeError);
});

it('takes out no more than it puts back', () => {
  const value = { list: Array.from({ length: 64 }, () => long) };
  const taken = takeTexts(value, long);
  expect(taken.references).toHaveLength(8);
  expect(putTexts(structuredClone(taken.value), long, taken.references)).toEqual(value);
});

it('searches a text a bounded number of times, whatever a value has', () => {
  const search = vi.spyOn(String.prototype, 'indexOf');
  onTestFinished(() => search.mockRestore());
  const value = Array.from({ length: 10_000 }, (_, index) => `${index} is not there `.repeat(20));
  const taken = takeTexts(value, long);
  const searches = search.mock.contexts.filter((context) => String(context) === long).length;
  expect(taken).toEqual({ value, references: [] });
  expect(searches).toBeGreaterThan(0);
  expect(searches).toBeLessThanOrEqual(256);
});
