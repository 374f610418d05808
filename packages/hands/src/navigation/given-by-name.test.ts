import { expect, it } from 'vitest';
import { editFile } from './edited-file.ts';
import { fixtureProblem } from './given-by-name.ts';
import type { SourceFile } from './source.ts';

const TEXT = `@pytest.fixture(
    params=[1],
)
def signer(request):
    return make(request)


def test_one(signer):
    assert signer


def test_two(
    signer,
):
    assert signer


def test_three():
    signer = make(1)
    assert signer


def make(signer):
    return signer
`;
const source = { path: 'test_a.py', text: TEXT, lines: TEXT.split('\n') } as unknown as SourceFile;

/** Renames the name on some lines. */
function problem(...lines: number[]): string | undefined {
  const edits = lines.map((line) => {
    const start = source.lines[line - 1]?.indexOf('signer') ?? expect.fail();
    return { range: { start: { line: line - 1, character: start }, end: { line: line - 1, character: start + 6 } }, newText: 'other' };
  });
  const file = editFile(source, edits, 'signer', 'other');
  return fixtureProblem([source], [typeof file === 'string' ? expect.fail(file) : file], 'signer');
}

it.each([
  ['a fixture', [4]],
  ['the parameter of a test', [8, 9]],
  ['a parameter on a line of its own', [13, 15]],
])('does not let %s be renamed alone', (_, lines) => {
  expect(problem(...lines)).toBe('pytest gives the fixture at test_a.py:4 to the parameters of that name');
});

it.each([
  ['a local variable of a test', [19, 20]],
  ['the parameter of a function that is no test', [23, 24]],
])('lets %s be renamed', (_, lines) => {
  expect(problem(...lines)).toBeUndefined();
});

it('lets a fixture be renamed that no parameter has', () => {
  const text = '@fixture\ndef signer():\n    return 1\n';
  const alone = { path: 'test_b.py', text, lines: text.split('\n') } as unknown as SourceFile;
  const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 10 } };
  const file = editFile(alone, [{ range, newText: 'other' }], 'signer', 'other');
  expect(fixtureProblem([alone], [typeof file === 'string' ? expect.fail(file) : file], 'signer')).toBeUndefined();
});
