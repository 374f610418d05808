import { isSynapseError, type SynapseError } from '@synapse/protocol';
import { createTwoFilesPatch } from 'diff';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { applyFilePatches, type PatchOutcome } from './apply-file-patches.ts';
import type { FileContent, FileOverlay } from './file-overlay.ts';
import { parsePatch } from './parse-patch.ts';

/** Files that are nowhere but here. */
function overlayOf(files: Readonly<Record<string, string>>): FileOverlay & { texts(): Record<string, string> } {
  const now = new Map<string, FileContent | undefined>(
    Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: undefined }]),
  );
  const existing = (): Array<[string, FileContent]> => [...now].flatMap(([path, content]) => (content === undefined ? [] : [[path, content]]));
  return {
    exists: (path) => now.get(path) !== undefined,
    assertExists: (path) => expect(now.get(path)).toBeDefined(),
    read: async (path) => now.get(path) ?? expect.unreachable(),
    modeOf: () => 0o644,
    write: (path, content) => void now.set(path, content),
    remove: (path) => void now.delete(path),
    changes: () => now,
    texts: () => Object.fromEntries(existing().map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()])),
  };
}

interface Applied extends PatchOutcome {
  readonly texts: Record<string, string>;
}

async function apply(files: Readonly<Record<string, string>>, patch: string): Promise<Applied> {
  const overlay = overlayOf(files);
  return { ...(await applyFilePatches(parsePatch(patch), overlay)), texts: overlay.texts() };
}

/** The text of the file x after a patch of it. */
async function patched(text: string, ...lines: string[]): Promise<string | undefined> {
  return (await apply({ x: text }, ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n'))).texts['x'];
}

async function failure(work: Promise<unknown>): Promise<SynapseError> {
  try {
    await work;
  } catch (error) {
    if (isSynapseError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

async function rightOrRefused(work: Promise<Applied>, expected: string): Promise<string> {
  try {
    const { texts } = await work;
    return texts['x'] === expected ? 'right' : `wrong: ${JSON.stringify(texts['x'])}`;
  } catch (error) {
    if (isSynapseError(error)) return 'refused';
    throw error;
  }
}

const classes = 'class A:\n  def run():\n    go()\n  def stop():\n    end()\nclass B:\n  def run():\n    go()\n  def stop():\n    end()\n';

describe('where a chunk goes', () => {
  it.each([
    ['where its lines are', 'a\nb\nc\n', ['@@', ' a', '-b', '+x'], 'a\nx\nc\n'],
    ['several, in order', 'a\nb\na\nb\n', ['@@', ' a', '-b', '+1', ' a', '@@', '-b', '+2'], 'a\n1\na\n2\n'],
    ['behind its anchor', classes, ['@@ class B:', '   def run():', '-    go()', '+    run()'], classes.replace(/go\(\)(?=[^g]*$)/u, 'run()')],
    ['behind several anchors', classes, ['@@ class B:', '@@   def stop():', '-    end()', '+    halt()'], classes.replace(/end\(\)\n$/u, 'halt()\n')],
    ['at an anchor that is its first line', classes, ['@@ class B:', ' class B:', '+  x = 1'], classes.replace('class B:\n', 'class B:\n  x = 1\n')],
    ['where only one is, whichever anchor is meant', 'f\n1\nf\n2\n', ['@@ f', '-2', '+3'], 'f\n1\nf\n3\n'],
    ['behind the anchor of the chunk before', 'c\n1\nx\n2\nx\n', ['@@ c', '-1', '+one', '@@ c', '-2', '+two'], 'c\none\nx\ntwo\nx\n'],
    ['an addition behind its anchor', classes, ['@@ class B:', '+  x = 1'], classes.replace('class B:\n', 'class B:\n  x = 1\n')],
    [
      'an addition behind several anchors',
      classes,
      ['@@ class B:', '@@   def run():', '+    x()'],
      'class A:\n  def run():\n    go()\n  def stop():\n    end()\nclass B:\n  def run():\n    x()\n    go()\n  def stop():\n    end()\n',
    ],
    ['an addition to an empty file', '', ['+b'], 'b\n'],
    ['an addition said to be at the end', 'a\n', ['+b', '*** End of File'], 'a\nb\n'],
    ['chunks in another order', 'a\nb\nc\n', ['@@', '-c', '+z', '@@', '-a', '+x', '@@', ' b', '+y'], 'x\nb\ny\nz\n'],
    ['an addition at the end', 'a\nb\n', ['@@ a', '+c', '*** End of File'], 'a\nc\nb\n'],
    ['what is at the end of the file', 'a\nx\na\n', ['@@', '-a', '+b', '*** End of File'], 'a\nx\nb\n'],
    ['what is said to be at the end, and is only once elsewhere', 'a\nb\n\n', ['@@', ' a', '-b', '+c', '*** End of File'], 'a\nc\n\n'],
    ['an anchor that is not there, for lines that are there once', 'a\nb\n', ['@@ class Z', '-b', '+c'], 'a\nc\n'],
    ['lines of which one is removed and one is added', 'a\nb\nc\nd\n', ['@@', '-a', ' b', '+x', ' c', '-d'], 'b\nx\nc\n'],
  ])('%s', async (_, text, lines, expected) => {
    expect(await patched(text, ...lines)).toBe(expected);
  });

  it.each([
    ['lines that are there twice', 'a\nb\na\n', ['@@', '-a', '+x'], 'ambiguous_match', 'occurs 2 times in x'],
    [
      'a place with other indentation beside one that is alike',
      '  a\n    b\nc\n      a\n    b\n',
      ['@@', ' a', '-  b', '+  d'],
      'ambiguous_match',
      'occurs 2 times',
    ],
    [
      'what was applied before, at a place with other indentation',
      '    a\n      long_name\nc\n  a\n    b\n',
      ['@@', ' a', '-  b', '+  long_name'],
      'no_match',
      'Hunk 1',
    ],
    [
      'an item of a list whose keys may be meant as given',
      'b:\n  c:\n    d: e\n    steps:\n      - uses: f\n      - run: g\n',
      ['@@', '+    outputs:', '+      h: i', '       steps:', '         - uses: f', '+        with:', '+          j: k'],
      'no_match',
      'is not clear',
    ],
    ['an anchor that is there twice', classes, ['@@   def run():', '-    go()', '+    x()'], 'ambiguous_match', 'occurs 2 times'],
    ['an addition behind an anchor that is there twice', classes, ['@@   def run():', '+    x()'], 'ambiguous_match', 'Hunk 1'],
    ['an addition behind an anchor that is not there', classes, ['@@ class C:', '+    x()'], 'no_match', 'The @@ line of Hunk 1'],
    ['lines that are not there', 'a\nb\n', ['@@', ' a', '-c', '+x'], 'no_match', 'Hunk 1 (line 3 of the patch) was not found in x'],
    ['an addition without any place', 'a\n', ['+b'], 'invalid_arguments', 'has no unchanged line that shows where'],
    [
      'chunks in another order, one of them for lines that are there twice',
      'a\nb\na\n',
      ['@@', '-b', '+x', '@@', ' a', '+y', '@@', '-a', '+z'],
      'ambiguous_match',
      'Hunk',
    ],
    ['a line twice', 'a\nb\n', ['@@', '-a', '+x', '@@', '-a', '+y'], 'invalid_arguments', 'belongs to line 1'],
  ])('is refused for %s', async (_, text, lines, code, message) => {
    const error = await failure(patched(text, ...lines));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(message);
  });

  it('fails for an anchor that is not a whole line of the file', async () => {
    const error = await failure(patched(classes, '@@ def run', '-    go()', '+    x()'));
    expect(error).toMatchObject({ code: 'ambiguous_match', hint: expect.stringContaining('None of them is behind "def run"') as string });
  });

  it('fails for a miss, with the nearest lines and the place in the patch', async () => {
    const error = await failure(patched('one\na\ttwo\nthree\n', '@@', ' one', '-a two', '+x', ' three'));
    expect(error.hint).toContain('line 2, column 2: the file has TAB (U+0009), Hunk 1 (line 3 of the patch) has SPACE');
    expect(error.details).toMatchObject({ path: 'x', patch_line: 3, nearest: { start_line: 1, end_line: 3 }, version: expect.any(String) });
  });
});

const hunk = (header: string, ...lines: string[]): string => `--- a/x\n+++ b/x\n${header}\n${lines.join('\n')}\n`;

describe('stated lines', () => {
  it.each([
    ['are taken where the lines are there', 'a\nb\na\n', hunk('@@ -3 +3 @@', '-a', '+x'), 'a\nb\nx\n'],
    ['may be wrong where the lines are there once', 'a\nb\nc\n', hunk('@@ -9 +9 @@', '-b', '+x'), 'a\nx\nc\n'],
    ['tell the order of hunks', 'a\nb\na\n', `${hunk('@@ -3 +3 @@', '-a', '+x')}@@ -1 +1 @@\n-a\n+y\n`, 'y\nb\nx\n'],
    ['tell to add to an empty file', '', hunk('@@ -0,0 +1 @@', '+x'), 'x\n'],
  ])('%s', async (_, text, patch, expected) => {
    expect((await apply({ x: text }, patch)).texts['x']).toBe(expected);
  });

  it.each([
    ['that are wrong, for lines that are there twice', 'a\nb\na\n', hunk('@@ -2 +2 @@', '-a', '+x'), 'ambiguous_match'],
    ['behind the end of the file', 'a\n', hunk('@@ -9,0 +10 @@', '+x'), 'invalid_arguments'],
    ['for an addition that nothing in the file confirms', 'a\nb\n', hunk('@@ -1,0 +2 @@', '+x'), 'invalid_arguments'],
    ['also at the beginning', 'a\n', hunk('@@ -0,0 +1 @@', '+x'), 'invalid_arguments'],
    ['where only blank lines confirm them', 'a\n\nb\n\n', hunk('@@ -2 +2,2 @@', ' ', '+x'), 'ambiguous_match'],
  ])('are refused %s', async (_, text, patch, code) => {
    expect(await failure(apply({ x: text }, patch))).toMatchObject({ code });
  });
});

describe('the line that the header of a diff names', () => {
  const inB = classes.replace(/go\(\)(?=[^g]*$)/u, 'run()');
  it.each([
    ['without numbers', '@@ class B:', inB],
    ['without numbers, between marks', '@@ class B: @@', inB],
    ['behind wrong numbers', '@@ -1,2 +1,2 @@ class B:', inB],
    ['of the first of two', '@@ -40,2 +40,2 @@ class A:', classes.replace('go()', 'run()')],
  ])('%s tells which lines are meant', async (_, header, expected) => {
    expect((await apply({ x: classes }, hunk(header, '   def run():', '-    go()', '+    run()'))).texts['x']).toBe(expected);
  });

  it.each([
    ['is not needed for lines that are there once', 'a\nb\n', hunk('@@ no such line', '-b', '+c'), 'a\nc\n'],
    [
      'does not outweigh right numbers',
      classes,
      hunk('@@ -2,2 +2,2 @@ class B:', '   def run():', '-    go()', '+    run()'),
      classes.replace('go()', 'run()'),
    ],
    ['may be dots', 'a\nb\n', hunk('@@ ... @@', '-b', '+c'), 'a\nc\n'],
  ])('%s', async (_, text, patch, expected) => {
    expect((await apply({ x: text }, patch)).texts['x']).toBe(expected);
  });

  it.each([
    ['that is there twice', classes, hunk('@@ -50 +50 @@   def run():', '-    go()', '+    run()'), 'ambiguous_match'],
    ['that is not there', classes, hunk('@@ class Z:', '-    go()', '+    run()'), 'ambiguous_match'],
    ['for an addition beside numbers', classes, hunk('@@ -50,0 +51 @@ class B:', '+    run()'), 'invalid_arguments'],
  ])('is no place %s', async (_, text, patch, code) => {
    expect(await failure(apply({ x: text }, patch))).toMatchObject({ code });
  });
});

describe('unchanged lines without their mark', () => {
  const source = 'import os\n\ndef f():\n    a = 1\n    return a\n';
  it.each([
    ['some at the margin', ['@@', 'def f():', '    a = 1', '+    b = 2', '    return a'], source.replace('1\n', '1\n    b = 2\n')],
    ['all with indentation of their own', ['@@', '    a = 1', '+    b = 2', '    return a'], source.replace('1\n', '1\n    b = 2\n')],
    ['with removed lines', ['@@', 'def f():', '-    a = 1', '+    a = 2', '    return a'], source.replace('1', '2')],
    ['a line that begins with a backslash', ['@@', '\\begin{a}', '+x'], '\\begin{a}\nx\n'],
  ])('are taken as they stand: %s', async (_, lines, expected) => {
    const before = lines[1]?.startsWith('\\') === true ? '\\begin{a}\n' : source;
    const { texts, notes } = await apply({ x: before }, ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n'));
    expect(texts['x']).toBe(expected);
    expect(notes).toEqual([expect.stringContaining('without a space before them')]);
  });

  it('are taken as they are in a unified diff, too', async () => {
    const diff = hunk('@@ -3,3 +3,4 @@', 'def f():', '    a = 1', '+    b = 2', '    return a');
    expect((await apply({ x: source }, diff)).texts['x']).toBe(source.replace('1\n', '1\n    b = 2\n'));
  });

  it.each([
    ['the new line fits neither', ['@@', '    a = 1', '+  b = 2'], 'invalid_arguments'],
    ['they are not there', ['@@', 'def g():', '+    b = 2'], 'no_match'],
  ])('are refused where %s', async (_, lines, code) => {
    expect(await failure(patched(source, ...lines))).toMatchObject({ code });
  });

  it('have one: then the file may have them further in', async () => {
    expect(await patched('class A:\n    def f():\n        return 1\n', '@@', ' def f():', '+    x = 1', '     return 1')).toBe(
      'class A:\n    def f():\n        x = 1\n        return 1\n',
    );
  });
});

describe('what a chunk leaves alone', () => {
  it.each([
    ['white space at line ends', 'a  \nb\t\nc\n', ['@@', ' a', '-b', '+x', ' c'], 'a  \nx\nc\n', 'white space'],
    ['typography', '“a”\nb\n', ['@@', ' "a"', '-b', '+x'], '“a”\nx\n', 'Unicode'],
    ['indentation, and gives it to new lines', '\t\ta\n\t\tb\n', ['@@', ' a', '-b', '+x', '+\ty'], '\t\ta\n\t\tx\n\t\t\ty\n', 'indentation'],
    ['CRLF, and gives it to new lines', 'a\r\nb\r\n', ['@@', ' a', '-b', '+x', '+y'], 'a\r\nx\r\ny\r\n', undefined],
    ['mixed line ends, and takes those around', 'a\nb\nc\r\nd\r\n', ['@@', ' c', '-d', '+x', '+y'], 'a\nb\nc\r\nx\r\ny\r\n', undefined],
    ['a missing line end at the end', 'a\nb', ['@@', ' a', '-b', '+x'], 'a\nx', undefined],
    ['a missing line end, when lines are added', 'a\nb', ['@@', ' b', '+x'], 'a\nb\nx', undefined],
    ['a missing line end with CRLF', 'a\r\nb', ['@@', ' b', '+x'], 'a\r\nb\r\nx', undefined],
    ['the line end of the last line, when it goes', 'a\nb\n', ['@@', ' a', '-b'], 'a\n', undefined],
    ['the missing one, when the last line goes', 'a\nb', ['@@', ' a', '-b'], 'a', undefined],
    ['a mark, which is no part of the first line', '\ufeffa\nb\n', ['@@', '-a', '+x'], '\ufeffx\nb\n', undefined],
    ['dollar signs', 'a\n', ['@@', '-a', "+$& $1 $$ $` $'"], "$& $1 $$ $` $'\n", undefined],
  ])('%s', async (_, text, lines, expected, note) => {
    const { texts, notes } = await apply({ x: text }, ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n'));
    expect(texts['x']).toBe(expected);
    expect(notes).toEqual(note === undefined ? [] : [expect.stringContaining(note)]);
  });

  it.each([
    ['makes a line end where the patch says so', 'a', hunk('@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a'), 'a\n'],
    ['takes one off where the patch says so', 'a\n', hunk('@@ -1 +1 @@', '-a', '+a', '\\ No newline at end of file'), 'a'],
    ['makes CRLF where the patch says so', 'a\nb\n', hunk('@@ -1,2 +1,2 @@', '-a', '+a\r', ' b'), 'a\r\nb\n'],
    ['takes CRLF off where the patch says so', 'a\r\nb\r\n', hunk('@@ -1,2 +1,2 @@', '-a\r', '+a', ' b\r'), 'a\nb\r\n'],
    ['keeps those of the file where the patch was made for others', 'a\nb\n', hunk('@@ -1,2 +1,2 @@', ' a\r', '-b\r', '+x\r'), 'a\nx\n'],
  ])('%s', async (_, text, patch, expected) => {
    expect((await apply({ x: text }, patch)).texts['x']).toBe(expected);
  });
});

describe('files', () => {
  it('tells what became of each', async () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new',
      '+1',
      '+2',
      '*** Update File: x',
      '-a',
      '+b',
      '*** Delete File: old',
      '*** Update File: y',
      '*** Move to: z',
      '@@',
      '-c',
      '*** End Patch',
    ].join('\n');
    const { results, texts } = await apply({ x: 'a\n', old: 'o\n', y: 'c\nd\n' }, patch);
    expect(texts).toEqual({ new: '1\n2\n', x: 'b\n', z: 'd\n' });
    const version: unknown = expect.stringMatching(/^[0-9a-f]{16}$/u);
    expect(results).toEqual([
      { path: 'new', action: 'added', version, added_lines: 2, removed_lines: 0 },
      { path: 'x', action: 'updated', version, added_lines: 1, removed_lines: 1 },
      { path: 'old', action: 'deleted', added_lines: 0, removed_lines: 0 },
      { path: 'z', action: 'moved', from: 'y', version, added_lines: 0, removed_lines: 1 },
    ]);
  });

  it.each([
    ['twice', ['*** Update File: x', '-a', '+b', '*** Update File: x', '-b', '+c'], { x: 'c\n' }, ['updated x']],
    ['replaced', ['*** Delete File: x', '*** Add File: x', '+b'], { x: 'b\n' }, ['updated x']],
    ['and moved', ['*** Update File: x', '-a', '+b', '*** Update File: x', '*** Move to: y'], { y: 'b\n' }, ['moved y']],
    ['as it was just added', ['*** Add File: y', '+b', '*** Update File: y', '-b', '+c'], { x: 'a\n', y: 'c\n' }, ['added y']],
    ['to where another one was', ['*** Update File: x', '*** Move to: y', '*** Add File: x', '+b'], { x: 'b\n', y: 'a\n' }, ['moved y', 'added x']],
  ])('may be changed %s', async (_, lines, texts, actions) => {
    const applied = await apply({ x: 'a\n' }, ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
    expect(applied.texts).toEqual(texts);
    expect(applied.results.map(({ action, path }) => `${action} ${path}`)).toEqual(actions);
  });

  it.each([
    ['a new file that exists', '*** Add File: x\n+b', 'already_exists'],
    ['a move to a file that exists', '*** Update File: x\n*** Move to: y', 'already_exists'],
  ])('refuses %s', async (_, body, code) => {
    expect(await failure(apply({ x: 'a\n', y: 'b\n' }, `*** Begin Patch\n${body}\n*** End Patch`))).toMatchObject({ code });
  });

  it('does not delete a file that has more lines than the patch removes', async () => {
    expect(await failure(apply({ x: 'a\nb\n' }, '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n'))).toMatchObject({ code: 'conflict' });
    expect((await apply({ x: 'a\n' }, '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n')).texts).toEqual({});
  });
});

describe('a diff made by others gives the text it was made from', () => {
  const line = fc.constantFrom('a', 'b', 'c', '', ' x', '\ty', '- z', '+ z', '-- a', '++ b', '@@ -1 +1 @@', 'é😀', '$&', '*** End Patch');
  const text = (lineEnd: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 25 }), fc.boolean())
      .map(([lines, ends]) => lines.map(([content, end], index) => content + (ends || index < lines.length - 1 ? end : '')).join(''));

  it.each([
    ['LF', fc.constant('\n'), 0],
    ['CRLF', fc.constant('\r\n'), 0],
    // Without context, a hunk may show none of the line ends around it.
    ['mixed line ends', fc.constantFrom('\n', '\r\n'), 1],
  ])('%s', async (_, lineEnd, min) => {
    await fc.assert(
      fc.asyncProperty(text(lineEnd), text(lineEnd), fc.integer({ min, max: 4 }), async (before, after, context) => {
        fc.pre(before !== after);
        const diff = createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context });
        // A hunk must show where it belongs; one that keeps and removes nothing but blank lines does not.
        const shows = diff
          .split(/^@@ .*\n/mu)
          .slice(1)
          .every((lines) => /^[- ].*\S/mu.test(lines));
        // Added lines that begin with a mark or white space may be a slip of a model.
        const isPlain = !/^\+[-+ \t]/mu.test(diff.slice(diff.indexOf('\n@@ ')));
        const outcome = await rightOrRefused(apply({ x: before }, diff), after);
        expect(outcome).toMatch((shows && isPlain) || before === '' ? /^right$/u : /^(?:right|refused)$/u);
      }),
      { numRuns: 300 },
    );
  });

  it('also when the file has moved on in other places', async () => {
    const numbered = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 59 }), fc.array(fc.constantFrom('new 1\n', 'new 2\n'), { minLength: 1, maxLength: 5 }), async (at, added) => {
        const changed = numbered.with(at, 'changed\n');
        const diff = createTwoFilesPatch('a/x', 'b/x', numbered.join(''), changed.join(''), '', '', { context: 3 });
        expect((await apply({ x: [...added, ...numbered].join('') }, diff)).texts['x']).toBe([...added, ...changed].join(''));
      }),
    );
  });
});

describe('hostile patches', () => {
  it.each([
    ['lines that nearly match everywhere', 'a\n'.repeat(300_000), `${' a\n'.repeat(150_000)}-b`],
    ['many hunks', 'a\nb\n'.repeat(100_000), '@@\n-z\n+y\n'.repeat(10_000)],
    ['anchors everywhere', 'a\n'.repeat(300_000), '@@ a\n-a\n+b'],
    ['anchors whose blocks do not end', ')\n'.repeat(300_000), '@@ )\n-)\n+b'],
    ['all kinds of indentation', ' a\n  a\n'.repeat(100_000), `${'  a\n a\n'.repeat(20_000)}-     a`],
  ])('end in bounded time: %s', async (_, text, body) => {
    const started = computedMs();
    const error = await failure(patched(text, body));
    expect(['no_match', 'too_large', 'ambiguous_match']).toContain(error.code);
    expect(computedMs() - started).toBeLessThan(10_000);
  });
});

it('fits thousands of changes with other indentation in linear time', async () => {
  const blocks = Array.from({ length: 20_000 }, (_, index) => `  f${index} {\n    a${index}();\n  }\n`).join('');
  const hunk = Array.from({ length: 20_000 }, (_, index) => ` \tf${index} {\n-\t\ta${index}();\n+\t\tb${index}();\n \t}`).join('\n');
  const started = computedMs();
  expect(await patched(blocks, '@@', hunk)).toBe(blocks.replaceAll('a', 'b'));
  expect(computedMs() - started).toBeLessThan(10_000);
});
