import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { grammarFor } from './grammar.ts';
import { withoutNewerWords } from './newer-syntax.ts';
import { parseSyntax } from './syntax-file.ts';

async function read(path: string, text: string) {
  using syntax = await parseSyntax(text, grammarFor(path) ?? expect.fail());
  return { hasError: syntax?.hasError, symbols: syntax?.symbols().map((one) => `${one.path}:${one.nameLine}:${one.nameColumn}`) };
}

it.each<[path: string, text: string, symbols: string[]]>([
  ['a.ts', "export type * from './x';\nexport type * as T from './x';\n", []],
  ['a.ts', "import defer * as d from './y';\nfunction f() {}\n", ['f:2:9']],
  ['a.js', "import defer * as d from './y';\n", []],
  ['a.ts', 'export class G<in out T, const out U> { m() {} }\n', ['G:1:13', 'G.m:1:40']],
  ['a.tsx', 'interface G<out T> { a: T }\ntype H<in T> = (x: T) => void;\n', ['G:1:10', 'G.a:1:21', 'H:2:5']],
  ['a.ts', 'abstract class K { abstract accessor x: number; static accessor #y = 1; }\n', ['K:1:15', 'K.x:1:37', 'K.#y:1:64']],
  ['a.js', 'class K {\n  accessor x = 1;\n}\n', ['K:1:6', 'K.x:2:11']],
  ['a.ts', "export * from './x' with { type: '😀' }; let z;\n", ['z:1:45']],
  ['a.ts', "export { x } from './x.json' with { type: 'json' };\nexport * from './y.json' with {\n  type: 'json',\n};\nlet z;\n", ['z:5:4']],
])('%s: %j has no error, and its symbols where they are', async (path, text, symbols) => {
  expect(await read(path, text)).toEqual({ hasError: false, symbols });
});

it('leaves words alone where they are names, and errors that are errors', async () => {
  const names = 'const type = 1, accessor = 2, defer = 3;\nif (accessor in x || accessor instanceof Y) out(accessor);\nfor (const a in b) {}\n';
  expect(withoutNewerWords(names)).toBe(names);
  expect(await read('a.ts', "export type * from './x';\nfunction (\n")).toMatchObject({ hasError: true });
  expect(await read('a.py', 'import defer * as x\n')).toMatchObject({ hasError: true });
});

it('takes no longer for a text that is made to be slow', () => {
  const slow = `${'export '.repeat(20_000)}${'< '.repeat(50_000)}${' '.repeat(100_000)}${"from '".repeat(20_000)}`;
  const started = computedMs();
  expect(withoutNewerWords(slow)).toHaveLength(slow.length);
  expect(computedMs() - started).toBeLessThan(10_000);
});
