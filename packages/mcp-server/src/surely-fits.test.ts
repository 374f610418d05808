import fc from 'fast-check';
import { expect, it } from 'vitest';
import { surelyFits } from './call-tool.ts';

it('says that a value fits only if its JSON does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 400 }), (value, characters) => {
      expect(surelyFits(value, characters) && JSON.stringify(value).length > characters).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  [{ content: 'x'.repeat(4_096), version: 'abc' }, 100_000, true],
  [{ content: 'x'.repeat(20_000) }, 100_000, false],
  [{ content: '\u0000'.repeat(10) }, 60, false],
  [{ entries: Array.from({ length: 100 }, (_, index) => ({ name: `file-${index}`, size: index })) }, 100_000, true],
  [{ at: new Date(0) }, 100_000, false],
  [{ missing: undefined }, 100, true],
  [{ deep: [[[[[['a']]]]]] }, 60, true],
  [{ deep: [[[[[['a']]]]]] }, 50, false],
])('%# is known to fit: %s', (value, characters, expected) => {
  expect(surelyFits(value, characters)).toBe(expected);
});
