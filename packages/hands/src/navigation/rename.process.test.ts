import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git } from '../testing/git-repository.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const CONFIG = '{"compilerOptions":{"strict":true},"include":["."]}';
const FILES = {
  'src/tsconfig.json': CONFIG,
  'test/tsconfig.json': CONFIG,
  'src/a.ts':
    'export class Context {\n  header(name: string) {\n    return name;\n  }\n}\nexport const total = 1;\nexport const obj = { total };\nexport class Base { foo() {} }\nexport class Sub extends Base { bar() {} }\n',
  'src/b.ts':
    "import { Context, total } from './a';\r\nnew Context().header('x');\r\nexport function shadow(sum: number) {\r\n  const other = total + sum;\r\n  return other;\r\n}\r\n// the total\r\nexport const text = 'total';\r\n",
  'test/a.test.ts': "\ufeffimport { Context, total as t } from '../src/a';\nnew Context().header('y');\nconsole.log(t);\n",
};
const confined = (await findBubblewrap())?.usable === true;
const rename = async ({ hands }: TemporaryHands, path: string, symbol: string, to: string) =>
  await hands.call('code', { action: 'rename', path, symbol, to });

describe.runIf(confined)('rename', () => {
  it('changes all files of all projects at once, byte for byte, and one undo takes it back', async () => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    const result = await rename(place, 'src/a.ts', 'total', 'amount');
    expect(result).toMatchObject({
      ok: true,
      data: {
        kind: 'server',
        total: 5,
        untouched: [
          { path: 'src/b.ts', line: 7, as: 'comment' },
          { path: 'src/b.ts', line: 8, as: 'string' },
        ],
      },
      output: expect.stringMatching(
        /^\[total is now amount: 5 places in 3 files; .*not touched in 1 string: src\/b\.ts:8; not touched in 1 comment/u,
      ) as string,
    });
    expect(readFileSync(place.at('src/a.ts'), 'utf8')).toContain('export const amount = 1;\nexport const obj = { total: amount };');
    expect(readFileSync(place.at('src/b.ts'), 'utf8')).toBe(
      FILES['src/b.ts'].replace('Context, total', 'Context, amount').replace('= total +', '= amount +'),
    );
    expect(readFileSync(place.at('test/a.test.ts'), 'utf8')).toBe(FILES['test/a.test.ts'].replace('total as t', 'amount as t'));
    const changes = await place.hands.changes();
    expect(changes).toHaveLength(3);
    await place.hands.undo();
    expect(readTree(place.folder)).toEqual(before);
  });

  it.each([
    ['a name of another thing there', 'src/a.ts', 'total', 'obj', 'src/a.ts:7 already declares obj'],
    ['a parameter that would take a use', 'src/a.ts', 'total', 'sum', 'sum would mean something else at src/b.ts:4'],
    ['a method that it would override', 'src/a.ts', 'Base.foo', 'bar', 'bar would mean something else at src/a.ts:9'],
    ['a name that a file imports', 'src/a.ts', 'total', 'Context', 'src/a.ts:1 already declares Context'],
    ['an import that the renamed one would hide', 'src/b.ts', 'shadow', 'total', 'total would be an error at src/b.ts'],
    ['a word of the language', 'src/a.ts', 'total', 'class', 'class cannot be a name in src/a.ts'],
    ['its own name', 'src/a.ts', 'total', 'total', 'that is its name'],
  ])('refuses %s, and changes nothing', async (_, path, symbol, to, why) => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    expect(await rename(place, path, symbol, to)).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining(why) as string },
    });
    expect(readTree(place.folder)).toEqual(before);
  });

  it.each(['a b', '1a', 'a.b', 'a;b', '../x', ''])('takes %j for no name', async (to) => {
    await using place = await temporaryHands(FILES);
    expect(await rename(place, 'src/a.ts', 'total', to)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  });

  it('asks once, about every file, and shows the difference', async () => {
    const asked: ApprovalRequest[] = [];
    let effect: unknown;
    await using place = await temporaryHands(FILES, {
      allow: [],
      approver: {
        name: 'test',
        ask: async (request, signal) => {
          asked.push(request);
          effect = (await request.tryOut?.(signal))?.effect;
          return { verdict: 'allow', scope: 'once' };
        },
      },
    });
    expect(await rename(place, 'src/a.ts', 'total', 'amount')).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.effects.join('\n')).toMatch(/src\/a\.ts[^]*src\/b\.ts[^]*test\/a\.test\.ts/u);
    expect(JSON.stringify(effect)).toContain('+export const amount = 1;');
  });

  it('changes nothing in a dry run, where it is denied, and where one of its files is', async () => {
    await using place = await temporaryHands(FILES);
    const before = readTree(place.folder);
    const tried = await place.hands.call('code', { action: 'rename', path: 'src/a.ts', symbol: 'total', to: 'amount' }, { dryRun: true });
    expect(tried).toMatchObject({
      ok: true,
      meta: { dryRun: { changes: [{ path: 'src/a.ts' }, { path: 'src/b.ts' }, { path: 'test/a.test.ts' }] } },
    });
    expect(readTree(place.folder)).toEqual(before);
    for (const deny of ['write(test/**)', 'write(**)']) {
      await using strict = await temporaryHands(FILES, { policy: { deny: [deny] } });
      expect(await rename(strict, 'src/a.ts', 'total', 'amount'), deny).toMatchObject({ ok: false, error: { code: 'denied' } });
      expect(readTree(strict.folder)).toEqual(before);
    }
  });

  it('only reads for the other actions, also where nothing may be written', async () => {
    await using place = await temporaryHands(FILES, { policy: { deny: ['write(**)'] } });
    expect(await place.hands.call('code', { action: 'references', path: 'src/a.ts', symbol: 'total' })).toMatchObject({
      ok: true,
      data: { kind: 'server' },
    });
  });

  it('leaves generated and ignored files alone: it refuses, and says which', async () => {
    await using place = await temporaryHands({
      ...FILES,
      'src/made.ts': "// @generated by a tool\nimport { total } from './a';\nexport const x = total;\n",
    });
    expect(await rename(place, 'src/a.ts', 'total', 'amount')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('src/made.ts, which is generated') as string },
    });
    writeFileSync(place.at('src/made.ts'), "import { total } from './a';\nexport const x = total;\n");
    git(place.folder, 'init', '-q');
    writeFileSync(place.at('.gitignore'), 'made.ts\n');
    expect(await rename(place, 'src/a.ts', 'total', 'amount')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('src/made.ts, which the repository ignores') as string },
    });
  });

  it('changes only the case of a name', async () => {
    await using place = await temporaryHands(FILES);
    expect(await rename(place, 'src/a.ts', 'total', 'Total')).toMatchObject({ ok: true, data: { total: 5 } });
    expect(readFileSync(place.at('src/a.ts'), 'utf8')).toContain('export const Total = 1;\nexport const obj = { total: Total };');
  });

  it.each([
    [{ symbol: 'Main.#state' }, '#own'],
    [{ symbol: 'Main#state' }, 'own'],
    [{ symbol: '#state', line: 4 }, 'own'],
  ])('renames a private member, which stays private: %j to %s', async (wanted, to) => {
    const text =
      'export class Main {\n  #state = 1;\n  get(state: number) {\n    return this.#state + state;\n  }\n  has(other: object) { return #state in other; }\n}\n';
    await using place = await temporaryHands({ 'tsconfig.json': CONFIG, 'a.ts': text });
    const result = await place.hands.call('code', { action: 'rename', path: 'a.ts', ...wanted, to });
    expect(result).toMatchObject({ ok: true, data: { total: 3 } });
    expect(readFileSync(place.at('a.ts'), 'utf8')).toBe(text.replaceAll('#state', '#own'));
  });

  it('says what may fit an interface whose member is renamed, without saying so', async () => {
    const text = 'interface Shape { area(): number }\nclass Square { area() { return 1; } }\nconst shape: Shape = new Square();\nshape.area();\n';
    await using place = await temporaryHands({ 'tsconfig.json': CONFIG, 'a.ts': text });
    expect(await rename(place, 'a.ts', 'Shape.area', 'size')).toMatchObject({
      ok: true,
      output: expect.stringContaining('not renamed, and may have to be, as types fit an interface without saying so: a.ts:2 Square.area') as string,
    });
  });

  it('renames a local by its line', async () => {
    await using place = await temporaryHands(FILES);
    expect(await place.hands.call('code', { action: 'rename', path: 'src/b.ts', line: 4, text: 'other', to: 'result' })).toMatchObject({
      ok: true,
      data: { total: 2 },
    });
  });
});

it('is refused without a language server', async () => {
  await using place = await temporaryHands({ 'a.rb': 'def run\nend\n' });
  expect(await rename(place, 'a.rb', 'run', 'go')).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: expect.stringContaining('needs a language server') as string },
  });
  expect(await place.hands.call('code', { action: 'rename', path: 'a.rb', symbol: 'run' })).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments' },
  });
});
