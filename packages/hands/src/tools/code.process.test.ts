import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/context.ts': 'export class Context {\n  #a = 1;\n  header(name: string): void {\n    this.#a += name.length;\n  }\n}\nexport const one = 1;\n',
  'src/deep/go.go': 'package deep\n\nfunc (c *Context) Header() {\n}\n',
  'src/none.txt': 'words\n',
  'ignored/x.ts': 'export const ignored = 1;\n',
  '.ignore': 'ignored\n',
};

it('outlines a file, a symbol and a folder, and says that it knows only the syntax', async () => {
  await using place = await temporaryHands(FILES);
  expect(await place.hands.call('code', { action: 'outline', path: 'src/context.ts' })).toMatchObject({
    ok: true,
    output: '[src/context.ts, 7 lines: 3 symbols; 1 field left out.]\n1-6 class Context\n  3-5 header\n7 variable one\n',
    data: {
      kind: 'syntax',
      truncated: false,
      symbols: [
        { file: 'src/context.ts', name: 'Context', kind: 'class', line: 1, end_line: 6, depth: 0 },
        { name: 'Context.header', kind: 'method', line: 3, end_line: 5, depth: 1 },
        { name: 'one', kind: 'variable' },
      ],
    },
  });
  expect(await place.hands.call('code', { action: 'outline', path: 'src/context.ts', symbol: 'Context' })).toMatchObject({
    output: '[src/context.ts, 7 lines: 3 symbols.]\n1-6 class Context\n  2 field #a\n  3-5 header\n',
  });
  expect(await place.hands.call('code', { action: 'outline' })).toMatchObject({
    output: '[2 files with symbols, those on the outside.]\nsrc/context.ts: Context 1-6, one 7\nsrc/deep/go.go: Context.Header 3-4\n',
  });
});

it('says what it cannot outline', async () => {
  await using place = await temporaryHands(FILES);
  const fails = async (input: { path?: string; symbol?: string }) => {
    const result = await place.hands.call('code', { action: 'outline', ...input });
    return result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`;
  };
  expect(await fails({ path: 'src/none.txt' })).toBe('unavailable: No grammar is known for files such as src/none.txt.');
  expect(await fails({ path: 'src/context.ts', symbol: 'Contxt' })).toContain('no_match: Symbol not found in src/context.ts: Contxt');
  expect(await fails({ path: 'none.ts' })).toContain('not_found');
  expect(await fails({ path: '../x.ts' })).toContain('outside_workspace');
});
