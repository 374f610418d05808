import { expect, it } from 'vitest';
import { withOldDefaults } from './typescript-defaults.ts';

it.each([
  ['{}', { extends: ['/d.json'] }],
  ['{ "extends": "./a.json", "include": ["src"], }', { extends: ['/d.json', './a.json'], include: ['src'] }],
  ['// all\n{ "extends": ["./a.json", "b"] }', { extends: ['/d.json', './a.json', 'b'] }],
])('the defaults come before what %s extends', (text, expected) => {
  expect(JSON.parse(withOldDefaults(text, '/d.json') ?? '')).toEqual(expected);
});

it.each(['', '[]', '{ "extends": 1 }', '{ "include": ['])('a faulty configuration stays as it is: %j', (text) => {
  expect(withOldDefaults(text, '/d.json')).toBeUndefined();
});
