import { expect, it } from 'vitest';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import { withoutPrototypes } from './without-prototypes.ts';

const at = (path: string, text: string, kind: CodeSymbol['kind'] = 'function') => {
  const lines = text.split('\n');
  const first: CodeSymbol = { path: 'run', name: 'run', kind, line: 1, endLine: lines.length, nameLine: 1, nameColumn: 4, depth: 0 };
  return { path, lines, group: { first, line: 1, endLine: lines.length } };
};
const BODY = 'int run(void)\n{\n  return 1;\n}';

it.each([
  ['a prototype before it', [at('a.c', 'int run(void);'), at('a.c', BODY)]],
  ['one in a header, with a comment', [at('a.h', 'int run(void); /* runs */'), at('a.c', BODY)]],
  ['several', [at('a.h', 'int\nrun(void);'), at('b.c', 'extern int run(void); // from a'), at('a.c', BODY)]],
])('a function of C is its definition: %s', (_, candidates) => {
  expect(withoutPrototypes(candidates)).toEqual([candidates.at(-1)]);
});

it.each([
  ['two definitions', [at('a.c', BODY), at('b.c', BODY)]],
  ['two definitions and a prototype', [at('a.c', 'int run(void);'), at('a.c', BODY), at('b.c', BODY)]],
  ['prototypes alone', [at('a.h', 'int run(void);'), at('b.h', 'int run(void);')]],
  ['C++, which has overloads', [at('a.h', 'int run(int);'), at('a.cpp', BODY)]],
  ['another language', [at('a.d.ts', 'function run();'), at('a.c', BODY)]],
  ['a variable of that name', [at('a.c', 'int run(void);'), at('b.c', 'int run = 1;', 'variable')]],
])('%s stay', (_, candidates) => {
  expect(withoutPrototypes(candidates)).toBe(candidates);
});
