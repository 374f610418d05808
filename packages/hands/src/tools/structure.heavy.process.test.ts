import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/a.ts':
    'check.equal(one(1), 2);\r\ncheck.equal(\r\n  check.equal(3, 4),\r\n  "ä𝒳",\r\n);\r\n// check.equal(5, 6)\r\nconst s = "check.equal(7, 8)";\r\n',
  'src/b.tsx': 'export const B = () => <p>{check.equal(a, b)}</p>;\n',
  'src/c.py': 'check.equal(x, y)\nprint("hi")\n',
  'src/gen.ts': '// @generated\ncheck.equal(1, 2);\n',
  'src/words.txt': 'check.equal(1, 2)\n',
  'node_modules/x/i.js': 'check.equal(1, 2);\n',
  '.gitignore': 'node_modules\n',
};

type Input = { readonly path?: string; readonly text?: string; readonly to?: string };
const match = async ({ hands }: TemporaryHands, input: Input) => await hands.call('code', { action: 'match', ...input });
const replace = async ({ hands }: TemporaryHands, input: Input) => await hands.call('code', { action: 'replace', ...input });

it('finds code by its structure, in all languages of a folder, and not in strings and comments', async () => {
  await using place = await temporaryHands(FILES);
  const result = await match(place, { text: 'check.equal($A, $B)' });
  expect(result).toMatchObject({
    ok: true,
    data: {
      kind: 'syntax',
      total: 6,
      places: [
        { path: 'src/a.ts', line: 1, text: 'check.equal(one(1), 2);' },
        { path: 'src/a.ts', line: 2, end_line: 5 },
        { path: 'src/a.ts', line: 3 },
        { path: 'src/b.tsx', line: 1 },
        { path: 'src/c.py', line: 1 },
        { path: 'src/gen.ts', line: 2 },
      ],
    },
  });
});

it.each([
  ['a.go', 'package a\n\nfunc f() {\n\tx := 1\n\tfmt.Println(x)\n}\n', 'fmt.Println($X)', 5],
  ['a.go', 'package a\n\nfunc f() {\n\tx := 1\n\tfmt.Println(x)\n}\n', '$X := $Y', 4],
  ['a.go', 'package a\n\nfunc f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n}\n', 'if $E != nil { return $E }', 4],
  ['a.rs', 'fn f() {\n    x.unwrap();\n}\n', '$X.unwrap()', 2],
  ['a.c', 'int f() {\n  int a = g(1);\n}\n', 'g($X)', 2],
  ['A.java', 'class A {\n  void f() { g(1); }\n}\n', 'g($X)', 2],
  ['a.rb', 'def f\n  g(1)\nend\n', 'g($X)', 2],
  ['a.py', 'for a in b:\n    c()\n', 'for $X in $Y: $$$BODY', 1],
  ['a.ts', 'f(1, 1);\nf(1, 2);\n', 'f($X, $X)', 1],
  ['a.ts', 'f(1, 2, 3);\n', 'f($X, $$$REST)', 1],
])('in %s of %j, %s is at line %d', async (path, text, pattern, line) => {
  await using place = await temporaryHands({ [path]: text });
  const result = await match(place, { text: pattern });
  expect(result).toMatchObject({ ok: true, data: { total: 1, places: [{ path, line }] } });
});

it('replaces in all files as one question, one change and one undo, byte for byte', async () => {
  const asked: ApprovalRequest[] = [];
  const approver: Approver = {
    name: 'test',
    async ask(request) {
      asked.push(request);
      return { verdict: 'allow', scope: 'once' };
    },
  };
  await using place = await temporaryHands(FILES, { allow: [], approver });
  const before = readTree(place.folder);
  const result = await replace(place, { text: 'check.equal($A, $B)', to: 'check.same($B, $A)' });
  expect(result).toMatchObject({
    ok: true,
    data: { total: 4 },
    output:
      '[replaced: 4 places in 3 files; 1 match inside of others left: run it again for them; left as they are, as generated or installed: 1 file, src/gen.ts.]\nM src/a.ts (2)\nM src/b.tsx (1)\nM src/c.py (1)\n',
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.effects).toEqual(expect.arrayContaining(['writes src/a.ts', 'writes src/b.tsx', 'writes src/c.py']));
  expect(readFileSync(place.at('src/a.ts'), 'utf8')).toBe(
    'check.same(2, one(1));\r\ncheck.same("ä𝒳", check.equal(3, 4));\r\n// check.equal(5, 6)\r\nconst s = "check.equal(7, 8)";\r\n',
  );
  expect(await place.hands.undo()).toMatchObject({ ok: true });
  expect(readTree(place.folder)).toEqual(before);
});

it.each<[string, string, string, string, string, string]>([
  ['line ends', 'a.ts', 'f(a, b);\r\n', 'f($A, $B)', 'g(\n  $B,\n)', 'g(\r\n  b,\r\n);\r\n'],
  ['indentation', 'a.ts', '{\n\tif (a) {\n\t\tf(a);\n\t}\n}\n', 'if ($C) { $$$B }', 'if (!$C) return;\n$$$B', '{\n\tif (!a) return;\n\tf(a);\n}\n'],
  [
    'blocks of Python, and texts in them',
    'a.py',
    'def f():\n    if x:\n        y()\n        s = """a\n        b"""\n',
    'if x:\n    $$$B',
    'with q:\n    if x:\n        $$$B',
    'def f():\n    with q:\n        if x:\n            y()\n            s = """a\n        b"""\n',
  ],
  ['a semicolon that was not asked for', 'a.ts', 'const a = b;\n[1].map(c);\n', 'const $A = $B', 'let $A = $B', 'let a = b;\n[1].map(c);\n'],
  ['a comment before it', 'a.ts', 'f(1);\n', 'f($A)', '/* new */ g($A)', '/* new */ g(1);\n'],
  ['a part in a text', 'a.ts', 'f(a + b);\n', 'f($A)', 'f($A, "$A")', 'f(a + b, "a + b");\n'],
])('replaces with %s as they are in the file', async (_, path, before, text, to, after) => {
  await using place = await temporaryHands({ [path]: before });
  expect(await replace(place, { text, to })).toMatchObject({ ok: true });
  expect(readFileSync(place.at(path), 'utf8')).toBe(after);
});

it.each([
  ['a.ts', 'x = mul(a + b, c);\n', 'mul($A, $B)', '$A * $B', '"x = a + b * c;", where "a + b" is not one piece'],
  ['a.ts', 'x = 2 * f(a);\n', 'f($A)', '$A + 1', '"x = 2 * a + 1;", where "a + 1" is not one piece'],
  ['a.ts', 'x = f(a - b);\n', 'f($A)', 'c - $A', 'where "a - b" is not one piece'],
  ['a.ts', 'if (not(a && b)) c();\n', 'not($A)', '!$A', 'where "a && b" is not one piece'],
  ['a.ts', 'if (a) f(1);\n', 'f($A);', 'g($A);\nh($A);', 'is not one piece'],
  ['a.py', 'x = f(a < b)\n', 'f($A)', '$A < c', 'where "a < b" is not one piece'],
  ['a.go', 'package a\n\nvar x = f(a + b)\n', 'f($A)', '$A * 2', 'where "a + b" is not one piece'],
])('in %s, %j is not replaced with code that means something else', async (path, before, text, to, says) => {
  await using place = await temporaryHands({ [path]: before });
  const result = await replace(place, { text, to });
  expect(result).toMatchObject({ ok: false, error: { code: 'conflict', hint: expect.stringContaining('Put brackets around it') as unknown } });
  expect(result.ok || result.error.message).toContain(says);
  expect(readFileSync(place.at(path), 'utf8')).toBe(before);
});

it('says that comments are left out', async () => {
  await using place = await temporaryHands({ 'a.ts': 'f(/* x */ 1);\nf([2 /* y */]);\n' });
  expect(await replace(place, { text: 'f($A)', to: 'g($A)' })).toMatchObject({
    ok: true,
    output: '[replaced: 2 places in 1 file; 1 comment in what was replaced left out: a.ts.]\nM a.ts (2)\n',
  });
});

it('replaces matches inside of others when it is run again', async () => {
  await using place = await temporaryHands({ 'a.ts': 'f(f(1), f(2));\n' });
  const first = await replace(place, { text: 'f($$$A)', to: 'g($$$A)' });
  expect(first).toMatchObject({
    ok: true,
    output: '[replaced: 1 place in 1 file; 2 matches inside of others left: run it again for them.]\nM a.ts (1)\n',
  });
  expect(await replace(place, { text: 'f($$$A)', to: 'g($$$A)' })).toMatchObject({
    ok: true,
    output: '[replaced: 2 places in 1 file.]\nM a.ts (2)\n',
  });
  expect(readFileSync(place.at('a.ts'), 'utf8')).toBe('g(g(1), g(2));\n');
});

it('says how many files were not looked at, and names no closed one', async () => {
  await using place = await temporaryHands({ 'a.ts': 'f(1);\n', 'closed.ts': 'f(2);\n' }, { policy: { deny: ['read(closed.ts)'] } });
  writeFileSync(place.at('bytes.ts'), Buffer.from([0xff, 0xfe, 0xfd, ...Buffer.from('f(3);\n')]));
  const found = await match(place, { text: '$F($A)' });
  expect(found).toMatchObject({ ok: true, data: { total: 1 } });
  expect(found.ok && found.output).toContain('1 file not looked at: closed, or no text');
  expect(JSON.stringify(found)).not.toContain('closed.ts');
});

it('says which languages it looks at where there is no file of them', async () => {
  await using place = await temporaryHands({ 'a.vue': '<script>f(1)</script>\n' });
  const found = await match(place, { text: 'f($A)' });
  expect(found.ok && found.output).toMatch(
    /^\[nothing found; in 0 files of code with the word f; it looks at TypeScript, .*, and search_text at all files\.\]$/u,
  );
  expect(await replace(place, { text: 'f($A)', to: 'g($A)' })).toMatchObject({
    ok: false,
    error: { code: 'no_match', hint: expect.stringMatching(/^Looked in 0 files .* and search_text at all files\.$/u) as string },
  });
});

it('shows a replacement as a dry run, and changes nothing', async () => {
  await using place = await temporaryHands(FILES);
  const before = readTree(place.folder);
  const result = await place.hands.call('code', { action: 'replace', path: 'src/c.py', text: 'print($X)', to: 'log($X)' }, { dryRun: true });
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('-print("hi")\n+log("hi")\n') as unknown });
  expect(readTree(place.folder)).toEqual(before);
});

it.each<[string, Input, string]>([
  ['no pattern', {}, 'invalid_arguments: code: text is missing'],
  ['a pattern that is no code', { text: 'foo(' }, 'invalid_arguments: text: the pattern is no code of TypeScript'],
  ['two pieces of code', { path: 'src/a.ts', text: 'a; check' }, 'it is more than one piece of code'],
  ['a file of no known language', { path: 'src/words.txt', text: 'a($X)' }, 'unavailable: The syntax of files such as src/words.txt is not known.'],
  ['a missing path', { path: 'none', text: 'a($X)' }, 'not_found'],
  ['a path outside', { path: '../x', text: 'a($X)' }, 'outside_workspace'],
])('match refuses %s', async (_, input, says) => {
  await using place = await temporaryHands({ ...FILES, 'foo.ts': 'foo(1);\n' });
  const result = await match(place, input);
  expect(result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`).toContain(says);
});

it.each<[string, Input, string]>([
  ['no new code', { text: 'print($X)' }, 'invalid_arguments: code: to is missing'],
  ['a part that the pattern does not have', { text: 'print($X)', to: 'log($Y)' }, 'to: $Y is not in the pattern'],
  ['a part whose code is not kept', { text: 'print($_X)', to: 'log($_X)' }, 'to: $_X would put in nothing'],
  ['what matches nothing', { text: 'printed($X)', to: 'log($X)' }, 'no_match: Nothing to replace'],
  ['what would be no code any more', { text: 'print($X)', to: 'log(($X' }, 'conflict: Nothing was replaced: src/c.py would have a syntax error'],
])('replace refuses %s, and changes nothing', async (_, input, says) => {
  await using place = await temporaryHands(FILES);
  const before = readTree(place.folder);
  const result = await replace(place, input);
  expect(result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`).toContain(says);
  expect(readTree(place.folder)).toEqual(before);
});

it('reads nothing that the rules deny, and writes nothing of it', async () => {
  await using place = await temporaryHands(FILES, { policy: { deny: ['read(src/c.py)'] } });
  expect(await match(place, { text: 'print($X)' })).toMatchObject({ ok: true, data: { total: 0 } });
  expect(await replace(place, { text: 'print($X)', to: 'log($X)' })).toMatchObject({ ok: false, error: { code: 'no_match' } });
  await using other = await temporaryHands(FILES, { policy: { deny: ['write(src/b.tsx)'] } });
  expect(await replace(other, { text: 'check.equal($A, $B)', to: 'same($A, $B)' })).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(readFileSync(other.at('src/a.ts'), 'utf8')).toBe(FILES['src/a.ts']);
});

it('ends with its time, also in a text that is made to be slow', async () => {
  await using place = await temporaryHands({});
  writeFileSync(place.at('deep.ts'), `${'f('.repeat(60_000)}x${')'.repeat(60_000)};\n`);
  const result = await place.hands.call('code', { action: 'match', path: 'deep.ts', text: '$X($$$)' }, { timeoutMs: 3_000 });
  // The process goes on, whatever the thread did.
  expect(result.ok ? 'ok' : result.error.code).toMatch(/^(?:ok|timeout|too_large)$/u);
  expect(await place.hands.call('read_file', { path: 'deep.ts' })).toMatchObject({ ok: true });
});

it('replaces nothing where a file has more matches than are looked at, and says so of a search', async () => {
  const text = 'f(1);\n'.repeat(5_001);
  await using place = await temporaryHands({ 'a.ts': text, 'b.ts': 'f(2);\n' });
  const refused = await replace(place, { text: 'f($A)', to: 'g($A)' });
  expect(refused).toMatchObject({ ok: false, error: { code: 'conflict', message: 'Nothing was replaced: more than 5,000 matches: a.ts.' } });
  expect(readFileSync(place.at('a.ts'), 'utf8')).toBe(text);
  const found = await match(place, { text: 'f($A)' });
  expect(found.ok && found.output).toContain('more than 5,000 matches: a.ts');
});
