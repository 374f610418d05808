import { expect, it } from 'vitest';
import { grants } from './open-hands.ts';

it.each([
  [{ allow: [], yes: false }, []],
  [{ allow: [], yes: true }, ['write', 'exec']],
  [{ allow: ['write'], yes: false }, ['write']],
  [{ allow: ['protected'], yes: true }, ['protected', 'write', 'exec']],
])('%j allows %j', (options, allowed) => {
  expect([...grants(options)]).toEqual(allowed);
});

it('refuses a word it does not know, with the near one', () => {
  const refusal = expect.objectContaining({ code: 'invalid_arguments', hint: expect.stringContaining('Did you mean write?') as string });
  expect(() => grants({ allow: ['wirte'], yes: false })).toThrow(refusal as Error);
});
