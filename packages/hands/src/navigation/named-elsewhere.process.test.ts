import { expect, it } from 'vitest';
import * as z from 'zod';
import { serverFor } from '../lsp/server-table.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { namedElsewhere, type NamedElsewhere } from './named-elsewhere.ts';

/** What is elsewhere for a file's language, asked by a call with its guards. */
async function elsewhere(name: string, path: string, files: Readonly<Record<string, string>>): Promise<NamedElsewhere> {
  let found: NamedElsewhere | undefined;
  const tool = defineTool({
    name: 'ask',
    description: 'Ask.',
    effects: 'read',
    input: z.strictObject({}),
    async execute(_, use) {
      found = await namedElsewhere(name, serverFor(path)?.row ?? expect.fail(), use);
      return 'done';
    },
  });
  await using place = await temporaryHands(files, { tools: [tool], policy: { deny: ['read(secret/**)'] } });
  await place.hands.call('ask', {});
  return found ?? expect.fail();
}

const EXAMPLES =
  'package x\n\nfunc ExampleAdd() {}\nfunc ExampleSet_Add_twice() {}\nfunc TestAdd(t *testing.T) {}\nfunc Test_Add_zero(t *testing.T) {}\n' +
  'func ExampleAdder() {}\nfunc TestAddress(t *testing.T) {}\n// func ExampleAdd() {}\n';

it('names the examples and tests of Go that are named after it, and no others', async () => {
  const { untouched, notes } = await elsewhere('Add', 'a.go', { 'a.go': 'package x\n\nfunc Add() {}\n', 'a_test.go': EXAMPLES, 'b.go': EXAMPLES });
  expect(notes).toEqual(['named after it and not touched: ExampleAdd at a_test.go:3, TestAdd at a_test.go:5, Test_Add_zero at a_test.go:6']);
  expect(untouched).toContainEqual({ path: 'a_test.go', line: 3, as: 'name' });
  const ofMethod = await elsewhere('Set.Add', 'a.go', {
    'a_test.go': `${EXAMPLES}func TestSet_Add(t *testing.T) {}\nfunc TestSetAdd(t *testing.T) {}\n`,
  });
  expect(ofMethod.notes).toEqual([
    'named after it and not touched: ExampleSet_Add_twice at a_test.go:4, TestAdd at a_test.go:5, Test_Add_zero at a_test.go:6, TestSet_Add at a_test.go:10, TestSetAdd at a_test.go:11',
  ]);
  expect((await elsewhere('Set', 'a.go', { 'a_test.go': EXAMPLES })).notes).toEqual([
    'named after it and not touched: ExampleSet_Add_twice at a_test.go:4',
  ]);
});

it('finds a test of Go whose capital is not that of the function, and those of Python', async () => {
  expect((await elsewhere('add', 'a.go', { 'a_test.go': EXAMPLES })).notes.join()).toContain('TestAdd at a_test.go:5');
  const tests = 'class TestAdd:\n    async def test_add_twice(self): ...\n    def test_address(self): ...\n';
  expect((await elsewhere('add', 'a.py', { 'tests/test_a.py': tests })).notes).toEqual([
    'named after it and not touched: TestAdd at tests/test_a.py:1, test_add_twice at tests/test_a.py:2',
  ]);
});

it.each([
  ['a component', 'App.vue', "<script setup>\nimport { other, total } from './a';\n</script>\n", 2],
  ['settings', 'pyproject.toml', 'main = "pkg.module:total"\n', 1],
  ['documentation', 'README.md', 'The total of all.\nCall `total`.\n', 2],
  ['a call in a text', 'a.rst', 'It is\ntotal(1).\n', 2],
  ['a template', 'a.html', '<p>{{ cart.total }}</p>\n', 1],
])('tells of %s', async (_, path, text, line) => {
  const { untouched, notes } = await elsewhere('total', 'a.ts', { [path]: text, 'a.ts': 'export const total = 1;\n', 'secret/b.md': '`total`' });
  expect(untouched).toEqual([{ path, line, as: 'text' }]);
  expect(notes).toEqual([`not touched in 1 file that the server does not read: ${path}:${line}`]);
});

it('tells nothing of a word in prose, of longer names, and of what git ignores', async () => {
  const files = {
    'README.md': 'The total of all. `subtotal`, `total_2`\n',
    '.gitignore': 'out\n',
    'out/a.md': '`total`',
    '.git/HEAD': 'ref: refs/heads/main\n',
  };
  expect(await elsewhere('total', 'a.ts', files)).toEqual({ untouched: [], notes: [] });
});
