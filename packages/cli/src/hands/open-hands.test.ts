import { expect, it } from 'vitest';
import { grants, networkPolicy } from './open-hands.ts';

it.each([
  [{ allow: [], yes: false }, []],
  [{ allow: [], yes: true }, ['write', 'exec', 'fetch', 'mcp']],
  [{ allow: ['write'], yes: false }, ['write']],
  [{ allow: ['protected'], yes: true }, ['protected', 'write', 'exec', 'fetch', 'mcp']],
])('%j allows %j', (options, allowed) => {
  expect([...grants(options)]).toEqual(allowed);
});

it('refuses a word it does not know, with the near one', () => {
  const refusal = expect.objectContaining({ code: 'invalid_arguments', hint: expect.stringContaining('Did you mean write?') as string });
  expect(() => grants({ allow: ['wirte'], yes: false })).toThrow(refusal as Error);
});

it.each([
  [['on'], 'on'],
  [['off'], 'off'],
  [['packages'], 'packages'],
  [['packages', 'example.com'], { domains: ['example.com'], packages: true }],
  [['example.com'], { domains: ['example.com'] }],
  [['api.example.com GET /repos/**'], { domains: ['api.example.com GET /repos/**'] }],
  [['on', 'example.com'], { domains: ['on', 'example.com'] }],
])('--network %j is %j', (words, policy) => {
  expect(networkPolicy(words)).toEqual(policy);
});
