import { expect, it } from 'vitest';
import { addedLines, parseRange } from './added-lines.ts';

it('finds the added lines of a diff without context', () => {
  const patch = 'diff --git a/a b/a\n@@ -0,0 +1,2 @@\n+a\n+@@ -1 +9 @@\n@@ -5 +7 @@\n-x\n+y\n@@ -9,2 +10,0 @@\n-gone\n-gone\n';
  expect(addedLines(patch)).toEqual([1, 2, 7]);
  expect(addedLines('')).toEqual([]);
});

it.each([
  ['main..', { from: 'main', to: 'HEAD' }],
  ['main..topic', { from: 'main', to: 'topic' }],
  ['main...topic', { from: 'main', to: 'topic' }],
  ['..topic', { from: 'HEAD', to: 'topic' }],
  ['HEAD', { from: 'HEAD~1', to: 'HEAD' }],
])('parses the range %s', (text, range) => {
  expect(parseRange(text)).toEqual(range);
});
