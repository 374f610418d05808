import { expect, it } from 'vitest';
import { paintLine, plainLine } from '../output/styled-line.ts';
import { diffLines, type ShownDiff } from './diff-lines.ts';

const DIFF = '--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-old\n+new\n \tsame\n';

it.each<[name: string, changes: ShownDiff[], lines: string[]]>([
  ['a change', [{ kind: 'changed', path: 'x.ts', diff: DIFF }], ['  Changed x.ts', '  @@ -1,2 +1,2 @@', '  -old', '  +new', '      same']],
  ['a move', [{ kind: 'moved', path: 'b', from: 'a' }], ['  Moved a → b']],
  ['a note', [{ kind: 'created', path: 'b', note: 'binary' }], ['  Created b (binary)']],
  ['nothing', [], []],
])('shows %s', (_, changes, lines) => expect(diffLines(changes, 60).map(plainLine)).toEqual(lines));

it('colors what is added and removed', () => {
  const painted = diffLines([{ kind: 'changed', path: 'x.ts', diff: DIFF }], 60)
    .map(paintLine)
    .join('\n');
  for (const part of ['\u001B[31m-old', '\u001B[32m+new', '\u001B[36m@@']) expect(painted).toContain(part);
});

it('shows a bounded part of long diffs, wide lines and many files, and says so', () => {
  const long = `@@ -0,0 +1,500 @@\n${'+line\n'.repeat(500)}`;
  const lines = diffLines(
    [
      { kind: 'created', path: 'x'.repeat(300), diff: long },
      ...Array.from({ length: 30 }, (): ShownDiff => ({ kind: 'created', path: 'y', diff: '+日\n' })),
    ],
    40,
  );
  expect(lines.length).toBeLessThan(60);
  expect(plainLine(lines.at(-1) ?? [])).toBe('  … 472 more lines, 19 more files');
  for (const line of lines) expect(plainLine(line).length).toBeLessThanOrEqual(40);
});

it('lets nothing in a path or a file act on the terminal', () => {
  const hostile = '\u001B]0;x\u0007\r\u009B2J';
  const painted = diffLines([{ kind: 'changed', path: hostile, diff: `@@ ${hostile}\n+${hostile}\n`, note: hostile }], 80)
    .map(paintLine)
    .join('');
  const colors = new RegExp(String.raw`${'\u001B'}\[\d+m`, 'gu');
  expect(painted.replaceAll(colors, '')).not.toMatch(/\p{Cc}/u);
});
