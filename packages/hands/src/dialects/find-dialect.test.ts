import { expect, it } from 'vitest';
import { findDialect } from './find-dialect.ts';

it.each<[unknown, string]>([
  [5, 'Unknown dialect: number'],
  [undefined, 'Unknown dialect: undefined'],
  [{}, 'Unknown dialect: object'],
  ['__proto__', 'Unknown dialect: "__proto__"'],
  ['claude', 'Unknown dialect: "claude"'],
])('%j is no dialect, which one sentence says', (given, message) => {
  const hint = expect.stringContaining('The dialects are: ') as string;
  expect(() => findDialect(given as string)).toThrow(expect.objectContaining({ code: 'invalid_arguments', message, hint }));
});

it('finds a dialect by its name', () => {
  expect(findDialect('claude-code').name).toBe('claude-code');
});
