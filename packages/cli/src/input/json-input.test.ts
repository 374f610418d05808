import { expect, it } from 'vitest';
import { parseJsonInput } from './json-input.ts';

it.each([
  ['', 1, 1],
  ['{path: "a"}', 1, 2],
  ['{"a":nx}', 1, 7],
  ['not json', 1, 2],
  ['{"a":[1,2,}', 1, 11],
  ['{"path":', 1, 9],
  ['{"path":"a"', 1, 12],
  ['{"path":"a"}}', 1, 13],
  ['{\n  "path": a\n}', 2, 11],
  [`'{"path":"a"}'`, 1, 1],
])('%j goes wrong at line %i, column %i', (text, line, column) => {
  expect(() => parseJsonInput(text)).toThrow(`line ${line}, column ${column}, at `);
});

it('gives an example', () => {
  expect(() => parseJsonInput('{')).toThrow(
    expect.objectContaining({ code: 'invalid_arguments', hint: expect.stringContaining(`'{"path":`) as string }) as Error,
  );
});

it('shows a part of a long input only', () => {
  const text = `{"path":"${'x'.repeat(100_000)}`;
  expect(() => parseJsonInput(text)).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,200}$/su) as string }) as Error);
});
