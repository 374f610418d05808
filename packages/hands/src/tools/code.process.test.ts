import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/context.ts': 'export class Context {\n  #a = 1;\n  header(name: string): void {\n    this.#a += name.length;\n  }\n}\nexport const one = 1;\n',
  'src/deep/go.go': 'package deep\n\nfunc (c *Context) Header() {\n}\n',
  'src/none.txt': 'words\n',
  'ignored/x.ts': 'export const ignored = 1;\n',
  '.gitignore': 'ignored\n',
};

it('outlines a file, a symbol and a folder, and says that it knows only the syntax', async () => {
  await using place = await temporaryHands(FILES);
  git(place.folder, 'init', '-q');
  expect(await place.hands.call('code', { action: 'outline', path: 'src/context.ts' })).toMatchObject({
    ok: true,
    output: '[src/context.ts, 7 lines: 3 symbols; 1 field left out.]\n1-6 class Context\n  3-5 header\n7 variable one\n',
    data: {
      kind: 'syntax',
      truncated: false,
      places: [
        { path: 'src/context.ts', symbol: 'Context', kind: 'class', line: 1, end_line: 6 },
        { symbol: 'Context.header', kind: 'method', line: 3, end_line: 5 },
        { symbol: 'one', kind: 'variable' },
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

it('outlines a symbol wherever a folder declares it', async () => {
  await using place = await temporaryHands({
    ...FILES,
    'src/other.ts': 'export class Context {}\n',
    'src/more.ts': 'export const more = new Context();\n',
  });
  const outline = async (path: string, symbol: string) => {
    const result = await place.hands.call('code', { action: 'outline', path, symbol });
    return result.ok ? result.output : `${result.error.code}: ${result.error.message}`;
  };
  expect(await outline('.', 'one')).toBe('[src/context.ts, 7 lines: 1 symbol.]\n7 variable one\n');
  expect(await outline('src', 'Context')).toBe(
    '[2 files declare Context.]\nsrc/context.ts\n1-6 class Context\n  2 field #a\n  3-5 header\nsrc/other.ts\n1 class Context\n',
  );
  expect(await outline('src', 'Kontext')).toBe('no_match: No symbol is named Kontext below src.');
});

it('says what it cannot outline', async () => {
  await using place = await temporaryHands(FILES);
  const fails = async (input: { path?: string; symbol?: string }) => {
    const result = await place.hands.call('code', { action: 'outline', ...input });
    return result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`;
  };
  expect(await fails({ path: 'src/none.txt' })).toBe('unavailable: No grammar is known for files such as src/none.txt.');
  expect(await fails({ path: 'src/context.ts', symbol: 'Contxt' })).toContain('no_match: Symbol not found in src/context.ts: Contxt');
  // What a parser makes of the rest after an error is unknown: the name may well be there.
  writeFileSync(place.at('src/broken.ts'), 'class A {\n  bad( {\n}\nfunction last() {}\n');
  expect(await place.hands.call('read_file', { path: 'src/broken.ts', symbol: 'lost' })).toMatchObject({
    error: { code: 'no_match', hint: expect.stringContaining('The file has syntax errors, so some may be missing: use search_text.') as string },
  });
  expect(await fails({ path: 'none.ts' })).toContain('not_found');
  expect(await fails({ path: '../x.ts' })).toContain('outside_workspace');
});

const PROJECTS = {
  'src/tsconfig.json': '{"compilerOptions":{"strict":true},"include":["."]}',
  'test/tsconfig.json': '{"compilerOptions":{"strict":true},"include":["."]}',
  'src/a.ts':
    'export class Context {\n  header(name: string): string {\n    return name;\n  }\n}\nexport interface Shape { area(): number }\nexport class Square implements Shape {\n  area() { return 1; }\n}\n',
  'src/b.ts': "import { Context } from './a';\nexport function send(): void {\n  new Context().header('x');\n}\n// header\n",
  'test/a.test.ts': "import { Context } from '../src/a';\nnew Context().header('y');\n",
};
const confined = (await findBubblewrap())?.usable === true;

describe.runIf(confined)('code by the language server of TypeScript', () => {
  it('finds uses in every project, each shown by its line', async () => {
    await using place = await temporaryHands(PROJECTS);
    const uses = await place.hands.call('code', { action: 'references', path: 'src/a.ts', symbol: 'Context.header' });
    expect(uses).toMatchObject({ ok: true, data: { kind: 'server', total: 3, truncated: false } });
    expect(uses.ok && uses.output.split('\n').slice(1).join('\n')).toBe(
      "src/a.ts\n  2 header(name: string): string {\nsrc/b.ts\n  3 new Context().header('x');\ntest/a.test.ts\n  2 new Context().header('y');\n",
    );
    expect(uses.ok && uses.output).toContain('3 places in 3 files; header at src/a.ts:2; TypeScript 7');
    const callers = await place.hands.call('code', { action: 'callers', path: 'src/a.ts', symbol: 'header' });
    expect(callers).toMatchObject({
      data: {
        places: [
          { path: 'src/b.ts', line: 3, symbol: 'send' },
          { path: 'test/a.test.ts', line: 2 },
        ],
      },
    });
  });

  it('goes to a definition, with its lines, to implementations, and says a type', async () => {
    await using place = await temporaryHands(PROJECTS);
    expect(await place.hands.call('code', { action: 'definition', path: 'src/b.ts', line: 3, text: 'header' })).toMatchObject({
      data: { kind: 'server', places: [{ path: 'src/a.ts', line: 2, end_line: 4, symbol: 'Context.header' }] },
    });
    expect(await place.hands.call('code', { action: 'implementations', symbol: 'Shape' })).toMatchObject({
      data: { places: [{ path: 'src/a.ts', line: 7, end_line: 9, symbol: 'Square' }] },
    });
    expect(await place.hands.call('code', { action: 'hover', path: 'src/b.ts', line: 3, text: 'header' })).toMatchObject({
      data: { about: expect.stringContaining('Context.header(name: string): string') as string },
    });
  });

  it('answers for the files as they are now', async () => {
    await using place = await temporaryHands(PROJECTS);
    const total = async () => {
      const result = await place.hands.call('code', { action: 'references', path: 'src/a.ts', symbol: 'Context.header' });
      return result.ok ? result.data.total : result.error.message;
    };
    expect(await total()).toBe(3);
    await place.hands.call('edit_file', {
      path: 'src/b.ts',
      edits: [{ old_text: "header('x');", new_text: "header('x');\n  new Context().header('z');" }],
    });
    expect(await total()).toBe(4);
    writeFileSync(place.at('src/c.ts'), "import { Context } from './a';\nnew Context().header('c');\n");
    expect(await total()).toBe(5);
    await place.hands.call('delete_file', { path: 'src/c.ts' });
    expect(await total()).toBe(4);
  });
});

it('finds symbols by name, or by a part of it', async () => {
  await using place = await temporaryHands(PROJECTS);
  expect(await place.hands.call('code', { action: 'find', symbol: 'Context.header' })).toMatchObject({
    ok: true,
    output: '[1 place in 1 file.]\nsrc/a.ts\n  2-4 Context.header: header(name: string): string {\n',
    data: { kind: 'syntax', places: [{ path: 'src/a.ts', line: 2, end_line: 4, symbol: 'Context.header', kind: 'method' }] },
  });
  expect(await place.hands.call('code', { action: 'find', symbol: 'squ' })).toMatchObject({
    data: { places: [{ symbol: 'Square' }] },
    output: expect.stringContaining('none is named exactly so') as string,
  });
  expect(await place.hands.call('code', { action: 'find', symbol: 'nothing' })).toMatchObject({ ok: false, error: { code: 'no_match' } });
});
