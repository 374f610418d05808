import { expect, it } from 'vitest';
import { REDACTED, redactor } from './redact.ts';
import { secretForms } from './secret-forms.ts';

// Its bytes have every character in base64 that differs between the two alphabets, wherever they stand.
const SECRET = '>>>???ÿÿÿ~~~>>>???';
const redact = redactor([SECRET]);

it.each(
  [0, 1, 2, 3].flatMap((before) =>
    (['base64', 'base64url'] as const).flatMap((encoding) => ['', 'z', 'zz'].map((after) => [before, encoding, after] as const)),
  ),
)('is found behind %i other bytes in %s, before "%s"', (before, encoding, after) => {
  const text = Buffer.from(`${'x'.repeat(before)}${SECRET}${after}`).toString(encoding);
  expect(redact(text)).toContain(REDACTED);
  expect(redact(text).replace(REDACTED, '').length).toBeLessThan(12);
  expect(redact(Buffer.from(`${'x'.repeat(before)}${SECRET}${after}`).toString('hex'))).toContain(REDACTED);
});

it('is found in an address', () => {
  expect(redact(`https://a.io/?x=${encodeURIComponent(SECRET)}&y`)).toBe(`https://a.io/?x=${REDACTED}&y`);
});

it('has no form that could be part of anything, but for itself', () => {
  expect(secretForms('ab')).toEqual(['ab']);
});
