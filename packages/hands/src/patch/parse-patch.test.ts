import { isSynapseError, type SynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { parsePatch } from './parse-patch.ts';
import type { Chunk, FilePatch } from './patch.ts';

const MARK = { context: ' ', remove: '-', add: '+' } as const;

/** A patch in few words: file by file, the chunks with where they are said to be. */
function summary(text: string): string[] {
  const lines = (all: Chunk['lines']): string =>
    all.map(({ kind, text, carriageReturn, noLineEnd }) => `${MARK[kind]}${text}${carriageReturn ? '␍' : ''}${noLineEnd ? '⏎̸' : ''}`).join('|');
  const chunk = (one: Chunk): string =>
    `@${one.start ?? ''}${one.anchors.map((anchor) => `[${anchor}]`).join('')}${one.atEnd ? '$' : ''} ${lines(one.lines)}`;
  return parsePatch(text).map((file: FilePatch) => {
    const mode = file.kind === 'delete' || file.mode === undefined ? '' : ` ${file.mode.toString(8)}`;
    const to = file.kind === 'update' && file.to !== undefined ? ` → ${file.to}` : '';
    const body = file.kind === 'add' ? [lines(file.lines)] : file.chunks.map(chunk);
    return [`${file.kind} ${file.path}${to}${mode}`, ...body].join(' ').trimEnd();
  });
}

function failure(text: string): SynapseError {
  try {
    parsePatch(text);
  } catch (error) {
    if (isSynapseError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const envelope = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const unified = (...lines: string[]): string => ['--- a/x', '+++ b/x', ...lines].join('\n');

describe('the *** Begin Patch form', () => {
  it.each([
    ['add', envelope('*** Add File: a b.txt', '+one', '+', '+two'), ['add a b.txt +one|+|+two']],
    ['add nothing', envelope('*** Add File: empty'), ['add empty']],
    ['add with a blank line that lost its mark', envelope('*** Add File: x', '+a', '', '+b', ''), ['add x +a|+|+b']],
    ['delete', envelope('*** Delete File: x'), ['delete x']],
    ['update', envelope('*** Update File: x', '@@', ' a', '-b', '+c'), ['update x @  a|-b|+c']],
    ['update without @@', envelope('*** Update File: x', ' a', '-b'), ['update x @  a|-b']],
    ['anchors', envelope('*** Update File: x', '@@ class A:', '@@   def b():', '-c'), ['update x @[class A:][  def b():] -c']],
    ['several chunks', envelope('*** Update File: x', '@@ a', '-b', '@@', '+c'), ['update x @[a] -b @ +c']],
    ['line numbers of the other form', envelope('*** Update File: x', '@@ -3,2 +3,2 @@ f()', '-b'), ['update x @3 -b']],
    ['end of file', envelope('*** Update File: x', '@@', '-b', '*** End of File', '@@', '+c'), ['update x @$ -b @ +c']],
    ['move and change', envelope('*** Update File: x', '*** Move to: y', '@@', '-b'), ['update x → y @ -b']],
    ['move alone', envelope('*** Update File: x', '*** Move to: y'), ['update x → y']],
    ['a blank line of context that lost its space', envelope('*** Update File: x', '@@', ' a', '', '-b', ''), ['update x @  a| |-b']],
    [
      'several files',
      envelope('*** Add File: x', '+a', '', '*** Delete File: y', '*** Update File: z', '-c'),
      ['add x +a', 'delete y', 'update z @ -c'],
    ],
    [
      'lines that look like headers',
      envelope('*** Update File: x', ' *** End Patch', '-@@', '+*** Add File: y'),
      ['update x @  *** End Patch|-@@|+*** Add File: y'],
    ],
    ['no line end at the end', envelope('*** Update File: x', '-b', '+c', '\\ No newline at end of file'), ['update x @ -b|+c⏎̸']],
    ['a Markdown fence', `\`\`\`diff\n${envelope('*** Delete File: x')}\n\`\`\`\n`, ['delete x']],
    ['a heredoc', `apply_patch <<'EOF'\n${envelope('*** Delete File: x')}\nEOF\n`, ['delete x']],
    ['a shell command', `bash -lc "apply_patch <<EOF\n${envelope('*** Delete File: x')}\nEOF\n"`, ['delete x']],
    ['CRLF throughout', envelope('*** Update File: x', ' a', '-b', '+c').replaceAll('\n', '\r\n'), ['update x @  a|-b|+c']],
    ['CRLF in lines of the file only', envelope('*** Update File: x', ' a\r', '-b\r', '+c\r'), ['update x @  a␍|-b␍|+c␍']],
  ])('reads %s', (_, patch, expected) => {
    expect(summary(patch)).toEqual(expected);
  });

  it.each([
    ['without its end', '*** Begin Patch\n*** Add File: x\n+a', undefined, 'does not end with *** End Patch'],
    ['an unknown header', envelope('*** Change File: x'), 2, 'is "*** Change File: x"'],
    ['a removed line in a new file', envelope('*** Add File: x', '+a', '-b'), 4, 'is no line of a new file'],
    ['no change', envelope('*** Update File: x'), 2, 'no change of it'],
    ['context only', envelope('*** Update File: x', '@@', ' a'), 3, 'adds and removes nothing'],
    ['an anchor only', envelope('*** Update File: x', '@@ a'), 3, 'adds and removes nothing'],
    ['prose around it', `Here is the patch you wanted:\n${envelope('*** Delete File: x')}`, 1, 'is outside of'],
    ['prose behind it', `${envelope('*** Delete File: x')}\nThat should do it.`, 4, 'is outside of'],
    ['nothing in it', envelope(), undefined, 'names no file'],
  ])('refuses %s', (_, patch, line, message) => {
    const error = failure(patch);
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(line === undefined ? 'The patch' : `Line ${line} of the patch`);
    expect(error.message).toContain(message);
    expect(error.hint).toMatch(/\*\*\* Begin Patch|whole patch/u);
  });
});

describe('a unified diff', () => {
  it.each([
    ['a hunk', unified('@@ -1,2 +1,2 @@ f()', ' a', '-b', '+c'), ['update x @1[f()]  a|-b|+c']],
    ['counts left out', unified('@@ -3 +3 @@', '-b', '+c'), ['update x @3 -b|+c']],
    ['several hunks', unified('@@ -1 +1 @@', '-a', '+b', '@@ -9 +9 @@', '-c', '+d'), ['update x @1 -a|+b @9 -c|+d']],
    ['lines that look like headers', unified('@@ -1,2 +1,2 @@', '--- a', '-b', '+++ c', '+d'), ['update x @1 --- a|-b|+++ c|+d']],
    [
      'one that ends with what looks like headers',
      unified('@@ -1,1 +1,1 @@', '--- a', '+++ c', '@@ -5 +5 @@', '-e', '+f'),
      ['update x @1 --- a|+++ c @5 -e|+f'],
    ],
    ['wrong counts', unified('@@ -1,9 +1,9 @@', ' a', '-b', '+c', '@@ -20 +20 @@', '-d', '+e'), ['update x @1  a|-b|+c @20 -d|+e']],
    ['counts that are too small', unified('@@ -1,1 +1,1 @@', ' a', '-b', '+c', ' d'), ['update x @1  a|-b|+c| d']],
    ['no numbers', unified('@@ ... @@', ' a', '', '-b', '+c'), ['update x @  a| |-b|+c']],
    ['a blank line that lost its space', unified('@@ -1,3 +1,3 @@', ' a', '', '-b', '+c'), ['update x @1  a| |-b|+c']],
    ['no line ends', unified('@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+b', '\\ No newline at end of file'), ['update x @1 -a⏎̸|+b⏎̸']],
    ['times behind names', '--- x\t2024-01-01 00:00:00\n+++ x\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b', ['update x @1 -a|+b']],
    ['a folder that is called a', '--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b', ['update a/x @1 -a|+b']],
    ['other prefixes of a new file', 'diff --git i/x w/x\nnew file mode 100644\n--- /dev/null\n+++ w/x\n@@ -0,0 +1 @@\n+b', ['add x 644 +b']],
    [
      'other prefixes of a deleted file',
      'diff --git i/x w/x\ndeleted file mode 100644\n--- i/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b',
      ['delete x @1 -b'],
    ],
    ['other prefixes', 'diff --git i/x w/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b', ['update x @1 -a|+b']],
    ['a new file', '--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b', ['add x +a|+b']],
    [
      'a new file of git with mode',
      'diff --git a/x b/x\nnew file mode 100755\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a',
      ['add x 755 +a'],
    ],
    ['an empty new file', 'diff --git a/x y b/x y\nnew file mode 100644\nindex 0000000..e69de29\n', ['add x y 644']],
    ['a deletion', '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a', ['delete x @1 -a']],
    ['a deletion of an empty file', 'diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n', ['delete x']],
    ['a rename', 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n', ['update x → y']],
    [
      'a rename with changes',
      'diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b',
      ['update x → y @1 -a|+b'],
    ],
    ['a mode alone', 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', ['update x 755']],
    [
      'quoted names',
      'diff --git "a/\\303\\251 \\"q\\".txt" "b/\\303\\251 \\"q\\".txt"\n--- "a/\\303\\251 \\"q\\".txt"\n+++ "b/\\303\\251 \\"q\\".txt"\n@@ -1 +1 @@\n-a\n+b',
      ['update é "q".txt @1 -a|+b'],
    ],
    ['names that are no UTF-8', '--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-a\n+b', ['update \\xff @1 -a|+b']],
    [
      'a mail of git',
      'From 1234 Mon Sep 17\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n',
      ['update x @1 -a|+b'],
    ],
    ['a fence with words before it', 'This will do:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\nDone.\n', ['update x @1 -a|+b']],
    ['several files', `${unified('@@ -1 +1 @@', '-a', '+b')}\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n`, ['update x @1 -a|+b', 'update y @1 -c|+d']],
    [
      'Index lines',
      'Index: x\n===================================================================\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\nIndex: y\n===================================================================\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n',
      ['update x @1 -a|+b', 'update y @1 -a|+b'],
    ],
    ['CRLF throughout', unified('@@ -1 +1 @@', '-a', '+b', '').replaceAll('\n', '\r\n'), ['update x @1 -a|+b']],
    ['CRLF in lines of the file only', unified('@@ -1,2 +1,2 @@', ' x\r', '-a\r', '+b'), ['update x @1  x␍|-a␍|+b']],
    ['a carriage return that ends a file', unified('@@ -1 +1 @@', '-a\r', '\\ No newline at end of file', '+b'), ['update x @1 -a\r⏎̸|+b']],
  ])('reads %s', (_, patch, expected) => {
    expect(summary(patch)).toEqual(expected);
  });

  it.each([
    ['no patch', 'hello', 'invalid_arguments', 'The patch names no file'],
    ['nothing', '', 'invalid_arguments', 'The patch names no file'],
    [
      'a merge against two parents',
      'diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n++b\n',
      'invalid_arguments',
      'Line 4 of the patch begins a hunk of a merge',
    ],
    [
      'the other form without its first line',
      '*** Update File: x\n@@\n-a\n+b\n*** End Patch',
      'invalid_arguments',
      'Line 1 of the patch is "*** Update File: x" without *** Begin Patch',
    ],
    [
      'the other form pushed in',
      '  *** Begin Patch\n  *** Update File: x\n@@\n-a\n+b',
      'invalid_arguments',
      'Line 2 of the patch is "*** Update File: x"',
    ],
    ['line breaks that are escaped', envelope('*** Delete File: x').replaceAll('\n', '\\n'), 'invalid_arguments', 'line breaks are written as \\n'],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b', 'invalid_arguments', 'Line 1 of the patch begins a hunk before any file'],
    [
      'a line without its mark behind the end of a hunk',
      unified('@@ -1,2 +1,2 @@', ' a', '-b', '+c', 'd'),
      'invalid_arguments',
      'Line 7 of the patch is no line of a hunk: "d"',
    ],
    [
      'the end missing',
      unified('@@ -1,5 +1,6 @@', ' a', '-b', '+c'),
      'invalid_arguments',
      'a hunk of 5 old and 6 new lines, and the patch ends after 2 and 2',
    ],
    [
      'the end missing at the beginning of a file',
      unified('@@ -1,9 +1,9 @@', ' a', '-b', '+c', ' d', ' e', ' f', ' g'),
      'invalid_arguments',
      'a hunk of 9 old and 9 new lines, and the patch ends after 6 and 6',
    ],
    ['two names', '--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b', 'invalid_arguments', 'two names for one file'],
    ['context only', unified('@@ -1 +1 @@', ' a'), 'invalid_arguments', 'adds and removes nothing'],
    ['one name', '--- a/x\n@@ -1 +1 @@\n-a\n+b', 'invalid_arguments', 'before any file'],
    ['a copy', 'diff --git a/x b/y\ncopy from x\ncopy to y\n', 'invalid_arguments', 'copies a file'],
    ['a removed line in a new file', '--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', 'invalid_arguments', 'must begin with +'],
    [
      'a binary patch',
      'diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nabc\n',
      'binary_file',
      'Line 3 of the patch changes a binary file, x.png',
    ],
    ['binary files that differ', 'diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n', 'binary_file', 'binary file, x'],
    ['binary files of diff(1)', 'Binary files a/x and b/x differ\n', 'binary_file', 'binary file'],
    [
      'a link',
      'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file',
      'wrong_type',
      'x is a symbolic link',
    ],
    ['a submodule', 'diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', 'wrong_type', 'x is a submodule'],
  ])('refuses %s', (_, patch, code, message) => {
    const error = failure(patch);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(error.message).toContain('nothing was changed');
    expect(error.hint).not.toBeUndefined();
  });
});

describe('hostile patches', () => {
  const million = 1_000_000;
  it.each([
    ['spaces before the envelope', `${' '.repeat(4 * million)}x\n${envelope('*** Delete File: x')}`],
    ['spaces in a git line', `diff --git ${'a '.repeat(2 * million)}\n`],
    ['a quoted name', `--- "${'\\303'.repeat(million)}"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b`],
    ['lines behind a signature', `${unified('@@ -1 +1 @@', '-a', '+b')}\n-- \n${'x\n'.repeat(million)}`],
    ['many files', envelope(Array.from({ length: 100_000 }, (_, index) => `*** Delete File: ${index}`).join('\n'))],
    ['headers that end nothing', `${unified()}\n${'@@\n'.repeat(million)}`],
  ])('are read in linear time: %s', (_, patch) => {
    const started = computedMs();
    try {
      parsePatch(patch);
    } catch (error) {
      expect(isSynapseError(error)).toBe(true);
    }
    expect(computedMs() - started).toBeLessThan(5_000);
  });
});

it('says that a hunk without its header has none, where the file is named', () => {
  expect(() => parsePatch('-a\n+b\n', 'src/a.ts')).toThrow('has no line that begins with @@ before the changes of "src/a.ts"');
});
