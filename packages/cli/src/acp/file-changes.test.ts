import { expect, it } from 'vitest';
import { shownChanges } from './file-changes.ts';

const diff = (...lines: string[]): string => `--- a.txt\n+++ a.txt\n${lines.join('\n')}\n`;

it.each<[string, string, Array<{ oldText: string; newText: string }>, number]>([
  ['one line', diff('@@ -1,3 +1,3 @@', ' a', '-b', '+c', ' d'), [{ oldText: 'a\nb\nd\n', newText: 'a\nc\nd\n' }], 2],
  [
    'two parts',
    diff('@@ -1 +1 @@', '-a', '+b', '@@ -9 +9,2 @@', ' x', '+y'),
    [
      { oldText: 'a\n', newText: 'b\n' },
      { oldText: 'x\n', newText: 'x\ny\n' },
    ],
    1,
  ],
  ['a line end that is missing before', diff('@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a'), [{ oldText: 'a', newText: 'a\n' }], 1],
  ['a line end that is missing after', diff('@@ -1 +1 @@', '-a', '+a', '\\ No newline at end of file'), [{ oldText: 'a\n', newText: 'a' }], 1],
  ['a removed line that looks like a header', diff('@@ -4,2 +4 @@', ' a', '--- x'), [{ oldText: 'a\n-- x\n', newText: 'a\n' }], 5],
  ['everything removed', diff('@@ -1 +0,0 @@', '-a'), [{ oldText: 'a\n', newText: '' }], 1],
])('a diff of %s is the text before and after', (_, text, expected, line) => {
  const { files, locations } = shownChanges([{ kind: 'changed', path: 'a.txt', diff: text }], '/ws');
  expect(files).toMatchObject([{ whole: '/ws/a.txt', hunks: expected }]);
  expect(locations).toEqual([{ path: '/ws/a.txt', line }]);
});

it('names changes without a diff', () => {
  const { files, locations, notes } = shownChanges(
    [
      { kind: 'deleted', path: 'x.bin', note: 'binary' },
      { kind: 'moved', path: 'new.txt', from: 'old.txt' },
    ],
    '/ws',
  );
  expect(files).toMatchObject([
    { whole: '/ws/x.bin', hunks: [] },
    { whole: '/ws/new.txt', wholeFrom: '/ws/old.txt', hunks: [] },
  ]);
  expect(locations).toEqual([{ path: '/ws/new.txt' }]);
  expect(notes).toEqual(['Deleted x.bin (binary)', 'Moved old.txt → new.txt']);
});

it('is bounded', () => {
  const long = diff('@@ -1 +1 @@', `-${'a'.repeat(60_000)}`, '+b');
  const changes = Array.from({ length: 300 }, (_, index) => ({ kind: 'changed' as const, path: `${index}`, diff: long }));
  const { files, locations, notes } = shownChanges(changes, '/ws');
  const shown = files.flatMap(({ hunks }) => hunks);
  expect([shown.length, files.length, locations.length, notes.length]).toEqual([1, 100, 100, 299]);
});
