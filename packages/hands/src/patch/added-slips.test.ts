import { isSynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { applyFilePatches } from './apply-file-patches.ts';
import type { FileContent } from './file-overlay.ts';
import { parsePatch } from './parse-patch.ts';

interface Outcome {
  readonly text: string;
  readonly notes: readonly string[];
}

async function apply(before: string, patch: string, path?: string): Promise<Outcome> {
  let now: FileContent = { bytes: Buffer.from(before), mode: undefined };
  try {
    const { notes } = await applyFilePatches(parsePatch(patch, path), {
      exists: () => true,
      assertExists: () => {},
      read: async () => now,
      modeOf: () => 0o644,
      write: (_, content) => void (now = content),
      remove: () => {},
      changes: () => [],
    });
    return { text: Buffer.from(now.bytes).toString(), notes };
  } catch (error) {
    if (isSynapseError(error)) return { text: `${error.message}\n${error.hint}`, notes: [] };
    throw error;
  }
}

const envelope = (...lines: string[]): string => ['*** Begin Patch', '*** Update File: a.js', '@@', ...lines, '*** End Patch'].join('\n');
const source = 'f {\n  a("b");\n  c();\n}\n';

describe('added lines of a patch of a list', () => {
  const list = '# a\n - b\n   c\n';
  it.each([
    ['items one space further in than the one beside them', [' # a', '+  - d', '  - b'], 'a space before each line'],
    ['a word one space in, where no line has one', ['+ d', ' # a'], 'a space before each line'],
    ['a heading one space in, where no line begins so', ['+ # d', ' # a'], 'a space before each line'],
  ])('are refused: %s', async (_, lines, expected) => {
    const { text } = await apply(list, envelope(...lines));
    expect(text).toContain(expected);
  });
});

it('refuses lines of a comment whose stars are off by the space of unchanged lines', async () => {
  const { text } = await apply('f {\n    /*\n     * a\n     * b\n     */\n', envelope('     * a', '+    * c', '     * b'));
  expect(text).toContain('nothing was changed');
});

it('refuses a line of a table that has no space before it, as the other unchanged ones', async () => {
  const { text } = await apply('f(\n  a = [\n+--+\n  b\n', envelope('f(', '-  a = [', '+  a = {', '+--+'));
  expect(text).toContain('is in the file with its +');
});

it('refuses lines in place of others that could be meant to move with them', async () => {
  expect((await apply('a\n  b\n  x\na\n', envelope('   a', '-    b', '+  c', '     x'))).text).toContain('is not clear');
  expect((await apply('a {\n  b\n  x\n}\n', envelope('   a {', '-    b', '+  c', '     x'))).text).toBe('a {\n  c\n  x\n}\n');
});

it('refuses a list in place of another one that could be meant to move with it', async () => {
  const lines = ['    <!-- a -->', '-      * b', '-         * c', '+   - d', '+     - e'];
  const { text } = await apply('<!-- a -->\n   * b\n      * c\n', envelope(...lines));
  expect(text).toContain('is not clear');
});

describe('added lines that are hardly meant as they are', () => {
  it.each([
    ['a space after +', [' f {', '+   x();'], 'a space before each line'],
    ['a space after +, beside removed lines', ['-  c();', '+   d();'], 'a space before each line'],
    ['typographic quotes', ['   c();', '+  d(“x”);'], 'Send it with "\\""'],
    ['no-break spaces', ['   c();', '+  d(1,\u00a02);'], 'NO-BREAK SPACE'],
    ['tabs', ['   c();', '+\td();'], 'is indented by tabs'],
    ['dots', ['   c();', '+  ...'], 'has "..."'],
    ['marks twice', [' f {', '++  d();'], 'has a + before its lines'],
  ])('are refused: %s', async (_, lines, expected) => {
    const { text } = await apply(source, envelope(...lines));
    expect(text).toContain(expected);
    expect(text).toContain('on line 3 of the patch');
  });

  it('are taken without a space where the removed lines have it too', async () => {
    const { text, notes } = await apply(source, envelope(' f {', '-   a("b");', '+   a("d");', '   c();'));
    expect(text).toBe(source.replace('"b"', '"d"'));
    expect(notes).toEqual([expect.stringContaining('without the space after its + and - marks')]);
  });

  it('are refused where they stand already', async () => {
    const { text } = await apply('a\nlonger line\nb\n', envelope(' a', '+longer line'));
    expect(text).toContain('are in a.js already');
  });
});

describe('hunks with wrong counts', () => {
  const body = [' f {', '-  a("b");', '+  a("d");', '   c();', ' }'];
  it.each([
    ['too high', '@@ -1,5 +1,5 @@', body],
    ['too low', '@@ -1,2 +1,2 @@', body],
    ['none', '@@ -0,0 +0,0 @@', body],
    ['with an empty line', '@@ -1,1 +1,1 @@', body],
  ])('are applied, with a note: %s', async (_, header, lines) => {
    const { text, notes } = await apply(source, `--- a/a.js\n+++ b/a.js\n${header}\n${lines.join('\n')}\n`);
    expect(text).toBe(source.replace('"b"', '"d"'));
    expect(notes).toEqual([expect.stringContaining('other numbers of lines than its @@ line says')]);
  });

  it('are applied behind an empty line that lost its space', async () => {
    const { text } = await apply('a\n\nb\nc\n', '--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n a\n\n-b\n+d\n c\n');
    expect(text).toBe('a\n\nd\nc\n');
  });

  it('are refused where the end may be missing', async () => {
    const { text } = await apply(source, '--- a/a.js\n+++ b/a.js\n@@ -1,4 +1,5 @@\n f {\n-  a("b");\n');
    expect(text).toContain('the header must be @@ -1,2 +1,1 @@');
  });
});

describe('hunks alone, with a path', () => {
  it.each([
    ['with numbers', '@@ -1,2 +1,2 @@\n f {\n-  a("b");\n+  a("d");\n'],
    ['without', '@@\n-  a("b");\n+  a("d");\n'],
    ['behind a line', '@@ f {\n-  a("b");\n+  a("d");\n'],
    ['in the other form', '*** Begin Patch\n@@\n-  a("b");\n+  a("d");\n*** End Patch\n'],
    ['in a fence', '```diff\n@@\n-  a("b");\n+  a("d");\n```\n'],
  ])('change that file: %s', async (_, patch) => {
    expect((await apply(source, patch, 'a.js')).text).toBe(source.replace('"b"', '"d"'));
  });
});

describe('a line behind @@', () => {
  const two = 'def a():\n    x\n    y\n    x\ndef b():\n    x\n';
  it('means its block', async () => {
    expect((await apply(two, envelope().replace('@@', '@@ def b():\n-    x\n+    z'))).text).toBe('def a():\n    x\n    y\n    x\ndef b():\n    z\n');
  });

  it('is refused with both lines where its block has two places', async () => {
    const { text } = await apply(two, envelope().replace('@@', '@@ def a():\n-    x\n+    z'));
    expect(text).toContain('occurs 2 times');
    expect(text).toContain('2 |     x\n4 |     x');
  });
});
