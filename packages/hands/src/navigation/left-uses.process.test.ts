import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

/** The file of another system is in no package that gopls loads here. */
const OTHER_SYSTEM = '//go:build plan9\n\npackage calc\n\nfunc onPlan9() int {\n\tsum := Twice(1)\n\treturn sum\n}\n';
const FILES = {
  'go.mod': 'module example.com/calc\n\ngo 1.20\n',
  'calc.go':
    'package calc\n\n// Twice doubles.\nfunc Twice(n int) int {\n\tsum := n + n\n\treturn sum\n}\n\ntype Box struct{ Size int }\n\nfunc Grow(b Box) int { return b.Size }\n',
};

const server = await findProgram(serverFor('calc.go')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const rename = async ({ hands }: TemporaryHands, input: object) => await hands.call('code', { action: 'rename', path: 'calc.go', ...input });

describe.runIf(server !== undefined && (await findBubblewrap())?.usable === true)('a rename in Go', { timeout: 120_000 }, () => {
  it('is refused where a file that the server has not loaded uses the name, and changes nothing', async () => {
    await using place = await temporaryHands({ ...FILES, 'calc_other.go': OTHER_SYSTEM });
    const before = readTree(place.folder);
    expect(await rename(place, { symbol: 'Twice', to: 'Double' })).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('does not know what Twice is at calc_other.go:6') as string },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it('of a local variable is not refused for a name in a file that is not loaded', async () => {
    await using place = await temporaryHands({ ...FILES, 'calc_other.go': OTHER_SYSTEM });
    expect(await rename(place, { line: 5, text: 'sum', to: 'total' })).toMatchObject({ ok: true, data: { total: 2 } });
  });

  it('is not refused for the name in comments and strings, in other packages and of other things', async () => {
    await using place = await temporaryHands({
      ...FILES,
      'words.go': 'package calc\n\n// Twice in a comment.\nconst words = "Twice"\n\ntype T struct{ Twice int }\n\nvar t = T{Twice: 1}\n',
      'other/other.go':
        'package other\n\nimport "fmt"\n\nfunc Twice(n any) {\nTwice:\n\tfor {\n\t\tswitch Twice := n.(type) {\n\t\tcase int:\n\t\t\tfmt.Println(Twice)\n\t\tcase string:\n\t\t\tbreak Twice\n\t\t}\n\t}\n}\n',
    });
    expect(await rename(place, { symbol: 'Twice', to: 'Double' })).toMatchObject({ ok: true, data: { total: 2 } });
  });
});

const clang = await findProgram(serverFor('a.c')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const C = {
  'a.h':
    'struct item { struct item *next; int size; };\n#define EACH(one, next_one) for (; one; one = one->next)\n#define TWICE(size) ((size) + (size))\nint count(struct item *one);\n',
  'a.c': '#include "a.h"\nint count(struct item *one)\n{\n\tint found = 0;\n\tEACH(one, 0)\n\t\tfound += one->size;\n\treturn found;\n}\n',
  'b.c': 'static int size(void)\n{\n\treturn 1;\n}\nint other(void)\n{\n\treturn size();\n}\n',
};

describe.runIf(clang !== undefined && (await findBubblewrap())?.usable === true)('a rename in C', { timeout: 120_000 }, () => {
  it('is refused where the name is in the text of a macro, which no server renames', async () => {
    await using place = await temporaryHands(C);
    const before = readTree(place.folder);
    expect(await place.hands.call('code', { action: 'rename', path: 'a.h', line: 1, text: 'next', to: 'following' })).toMatchObject({
      ok: false,
      error: {
        code: 'conflict',
        message: expect.stringContaining('macros have next in their text at a.h:2, which the server does not rename') as string,
      },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it('is not refused for the parameter of a macro, nor for another thing of that name', async () => {
    await using place = await temporaryHands(C);
    expect(await place.hands.call('code', { action: 'rename', path: 'a.h', line: 1, text: 'size', to: 'amount' })).toMatchObject({
      ok: true,
      data: { total: 2 },
    });
  });
});

const DROPPED = {
  'a.h': 'struct ops { int (*run)(int); };\nextern int level;\nint run(int one);\n',
  'a.c': '#include "a.h"\nint level = 1;\nint run(int one)\n{\n\treturn one + level;\n}\n',
  'b.c':
    '#include "a.h"\nint other(struct ops *ops)\n{\n\tint level = 2;\n#ifdef DEBUG\n\tlevel = run(3);\n#endif\n\treturn ops->run(level) + run(4);\n}\n',
};

describe.runIf(clang !== undefined && (await findBubblewrap())?.usable === true)('code that the preprocessor drops', { timeout: 120_000 }, () => {
  it('may use what is renamed, though the server takes it for the nearest thing of that name', async () => {
    await using place = await temporaryHands(DROPPED);
    const before = readTree(place.folder);
    expect(await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'run', to: 'execute' })).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('leaves out run at b.c:6, where the preprocessor may drop the code') as string },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it('is asked about with a caution', async () => {
    await using place = await temporaryHands(DROPPED);
    const ask = async (line: number) => await place.hands.call('code', { action: 'definition', path: 'b.c', line, text: 'run' });
    const caution = 'the preprocessor drops that line, so the server guesses';
    expect(await ask(6)).toMatchObject({ ok: true, output: expect.stringContaining(caution) as string });
    expect(await ask(8)).toMatchObject({ ok: true, output: expect.not.stringContaining(caution) as string });
  });

  it('is no reason where the name is a local variable there', async () => {
    await using place = await temporaryHands(DROPPED);
    expect(await place.hands.call('code', { action: 'rename', path: 'a.c', symbol: 'level', to: 'depth' })).toMatchObject({
      ok: true,
      data: { total: 3 },
    });
  });
});

const rust = await findProgram(serverFor('a.rs')?.row ?? expect.fail(), { root: '/nonexistent', trusted: false });
const isInstalled = rust !== undefined && spawnSync(rust.argv[0], ['--version']).status === 0;
const RUST = {
  'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': 'pub fn go(total: i32) -> i32 {\n    let sum = total + 1;\n    unknown!(sum);\n    sum\n}\n',
};

describe.runIf(isInstalled && (await findBubblewrap())?.usable === true)('a rename in Rust', { timeout: 120_000 }, () => {
  it('of a local variable is refused where a macro that the server does not know has the name', async () => {
    await using place = await temporaryHands(RUST);
    const ask = async (line: number, text: string) =>
      await place.hands.call('code', { action: 'rename', path: 'src/lib.rs', line, text, to: 'amount' });
    // On a busy machine, the server may still load the standard library.
    await expect
      .poll(async () => await ask(2, 'sum'), { timeout: 90_000 })
      .toMatchObject({
        ok: false,
        error: { code: 'conflict', message: expect.stringContaining('does not know what sum is at src/lib.rs:3') as string },
      });
    expect(await ask(1, 'total')).toMatchObject({ ok: true, data: { total: 2 } });
  });
});

/** What a module that is missing exports has no type: the server knows nothing of its members. */
const SCRIPT = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"jsx":"preserve"},"include":["."]}',
  'a.ts':
    "import * as z from './b';\nimport { each } from 'missing';\nexport declare function number(value: number): void;\neach(({ expected }) => {\n  z.go(expected, ...[expected]);\n});\n",
  'b.ts': 'export function go(one: unknown, other: unknown): void {}\n',
  'c.ts': "import * as z from 'missing';\nimport { expected, rows } from 'missing';\n\nfor (const { number } of rows) z.go(expected, number);\n",
  'd.ts': "import { number } from './a';\nnumber(1);\nexport type One = number;\n",
  'e.tsx':
    'declare global { namespace JSX { interface IntrinsicElements { head: object } } }\nexport const View = () => <head></head>;\nexport const Page = () => <View />;\n',
};

describe.runIf((await findBubblewrap())?.usable === true)('a rename in TypeScript', { timeout: 120_000 }, () => {
  it('of what a function or a file alone has is not refused for a name elsewhere', async () => {
    await using place = await temporaryHands(SCRIPT);
    const ask = async (line: number, text: string, to: string) => await place.hands.call('code', { action: 'rename', path: 'a.ts', line, text, to });
    expect(await ask(4, 'expected', 'wanted')).toMatchObject({ ok: true, data: { total: 3 } });
    expect(await ask(1, 'z', 'lib')).toMatchObject({ ok: true, data: { total: 2 } });
  });

  it('takes the name of a type of the language for no use', async () => {
    await using place = await temporaryHands({ ...SCRIPT, 'c.ts': '' });
    expect(await place.hands.call('code', { action: 'rename', path: 'a.ts', symbol: 'number', to: 'amount' })).toMatchObject({
      ok: true,
      data: { total: 3 },
    });
  });

  it('is refused for the name of an element, which is rendered, and for a component that would become one', async () => {
    await using place = await temporaryHands(SCRIPT);
    const ask = async (text: string, to: string) => await place.hands.call('code', { action: 'rename', path: 'e.tsx', line: 2, text, to });
    expect(await ask('head', 'top')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('head is the name of an element') as string },
    });
    expect(await ask('View', 'view')).toMatchObject({ ok: false, error: { message: expect.stringContaining('must be a capital') as string } });
    expect(await ask('View', 'Screen')).toMatchObject({ ok: true, data: { total: 2 } });
  });
});
