import { expect, it } from 'vitest';
import { usesDefinition } from './definitions.ts';

it.each([
  ['a call', 'return granted(call);', true],
  ['an import', "import { granted } from './policy.ts';", true],
  ['a macro', 'granted![1, 2]', true],
  ['a method of Ruby', '  granted!', true],
  ['a comparison', 'return granted !== undefined && decide(granted, call);', false],
  ['a comparison without spaces', 'if (granted!=null) return;', false],
  ['a value that is there', 'return granted!.rules;', false],
  ['a variable', 'const granted = withRules(policy);', false],
  ['a comment', '// granted() decides', false],
  ['a text', "throw new Error('granted()');", false],
])('finds the uses of a function: %s', (_, line, expected) => {
  expect(usesDefinition(line, { name: 'granted', kind: 'function' })).toBe(expected);
});
