import { expect, it } from 'vitest';
import type { FormField } from './form-field.ts';
import { checkValue, expectedValue } from './form-values.ts';

const text = (format: string | undefined): FormField => ({
  kind: 'text',
  format,
  minLength: undefined,
  maxLength: undefined,
  name: 'a',
  title: 'A',
  description: undefined,
  required: true,
  default: undefined,
  secret: false,
});

it.each(['constructor', 'toString', '__proto__', 'unknown', undefined])('takes a text of a format that it does not know: %s', (format) => {
  expect(checkValue(text(format), 'a')).toEqual({ value: 'a' });
  expect(expectedValue(text(format))).toBe('a text');
});

it('checks a text of a known format', () => {
  expect(checkValue(text('email'), 'a@example.com')).toEqual({ value: 'a@example.com' });
  expect(checkValue(text('email'), 'a')).toHaveProperty('problem');
});
