import { expect, it } from 'vitest';
import { grammarFor } from './grammar.ts';
import { parseSyntax } from './syntax-file.ts';

/** The lines of all places of `it`. */
async function linesOf(path: string, text: string) {
  using syntax = await parseSyntax(text, grammarFor(path) ?? expect.fail());
  return syntax?.localLines(Array.from(text.matchAll(/\bit\b/gu), ({ index }) => index));
}

it.each([
  ['a parameter with a type', 'run(() => {\n  f((it: number) => {\n    g(it);\n  });\n});\n', { line: 2, endLine: 4 }],
  ['a part of a parameter', 'run(({ it }) => a ? it : 1);\n', { line: 1, endLine: 1 }],
  ['a function in another', 'run(() => {\n  function it() {}\n  it();\n});\n', { line: 1, endLine: 4 }],
  ['an import', "import * as it from 'x';\n\nit.go();\n", { line: 1, endLine: 4 }],
])('tells where %s can be used', async (_, text, lines) => {
  expect(await linesOf('a.ts', text)).toEqual(lines);
});

it.each([
  ['a property', 'a.ts', 'run(() => {\n  const a = { it: 1 };\n});\n'],
  ['a property in quotes', 'a.ts', 'run(() => {\n  const a = { "it": 1 };\n});\n'],
  ['a method', 'a.ts', 'run(() => {\n  class A { it() {} }\n});\n'],
  ['a member', 'a.ts', 'run(() => {\n  a.it();\n});\n'],
  ['what a file declares', 'a.ts', 'const it = 1;\nrun(() => it);\n'],
  ['a file with an error', 'a.ts', 'run((it) => it;;;(\n'],
  ['a language whose nodes do not tell it', 'a.py', 'def run(it):\n    return it\n'],
])('does not tell it of %s', async (_, path, text) => {
  expect(await linesOf(path, text)).toBeUndefined();
});

it('takes a word of the language for no name, where it is none', async () => {
  const text = 'declare function number(a: number): void;\ntry { number(1); } catch {}\na.catch(b);\n';
  using syntax = await parseSyntax(text, grammarFor('a.ts') ?? expect.fail());
  expect(syntax?.usesOf('number').map(({ line, column }) => [line, column])).toEqual([
    [1, 17],
    [2, 6],
  ]);
  expect(syntax?.usesOf('catch').map(({ line }) => line)).toEqual([3]);
});
