import type { ConsoleChange } from '@synapse/protocol/console';
import { describe, expect, it } from 'vitest';
import { amountOf, choicesOf, hunkKey, partOf, withHunk, withPath, type LeftOut } from './choices.ts';

const change = (kind: ConsoleChange['kind'], path: string, diff?: string): ConsoleChange => ({ kind, path, ...(diff === undefined ? {} : { diff }) });
const [FIRST, SECOND] = ['@@ -1,1 +1,1 @@\n-a\r@@ -9,1 +9,1 @@\n+b\n', '@@ -9,1 +9,1 @@\n-…\n+@@ -1,1 +1,1 @@\n'];
const DIFF = `--- a/x\n+++ b/x\n${FIRST}${SECOND}`;

it('a new or deleted folder is one choice, with all that is in it; other files are chosen one by one', () => {
  const choices = choicesOf([
    change('changed', 'src/a.ts'),
    change('created', 'new/deep'),
    change('created', 'new/deep/x'),
    change('created', 'new'),
    change('created', 'newer'),
    change('changed', 'kept'),
    change('changed', 'kept/y'),
    change('deleted', 'old/z'),
    change('deleted', 'old'),
  ]);
  expect(choices.map(({ path, changes }) => [path, changes.length])).toEqual([
    ['src/a.ts', 1],
    ['new', 3],
    ['newer', 1],
    ['kept', 1],
    ['kept/y', 1],
    ['old', 2],
  ]);
});

it('names all paths but those that are left out, and none if nothing is', () => {
  const choices = choicesOf([change('created', 'a'), change('created', 'b')]);
  expect(partOf(choices, new Set())).toEqual({});
  expect(partOf(choices, new Set(['a', 'gone']))).toEqual({ paths: ['b'] });
  expect(partOf(choices, new Set(['a', 'b']))).toEqual({ paths: [] });
});

describe('hunks', () => {
  it.each([
    ['of a changed file', change('changed', 'x', DIFF), [FIRST, SECOND]],
    ['of a new file', change('created', 'x', DIFF), []],
    ['of a file with one', change('changed', 'x', `--- a/x\n+++ b/x\n${FIRST}`), []],
    ['of a binary file', change('changed', 'x'), []],
    ['of a diff that was cut off', change('changed', 'x', `${DIFF}@@ -20,2 +20,2 @@\n-a\n… 3 more lines of the diff\n`), [FIRST, SECOND]],
  ])('%s', (_, one, expected) => {
    expect(choicesOf([one])[0]?.hunks).toEqual(expected);
  });

  it('are chosen with their file or alone', () => {
    const choices = choicesOf([change('changed', 'x', DIFF), change('changed', 'y', DIFF)]);
    const [x] = choices;
    if (x === undefined) throw new Error('The choice is missing.');
    let left: LeftOut = new Set();
    const now = () => [amountOf(x, left), partOf(choices, left)];
    expect(now()).toEqual(['all', {}]);
    left = withHunk(left, x, FIRST, false);
    expect(now()).toEqual(['some', { hunks: [{ path: 'x', take: [2], seen: [SECOND] }] }]);
    left = withHunk(left, x, SECOND, false);
    expect(now()).toEqual(['none', { paths: ['y'] }]);
    left = withPath(left, x, true);
    expect(now()).toEqual(['all', {}]);
    left = withPath(left, x, false);
    expect([...now(), left.has(hunkKey('x', FIRST))]).toEqual(['none', { paths: ['y'] }, false]);
    left = withHunk(left, x, FIRST, true);
    expect(now()).toEqual(['some', { hunks: [{ path: 'x', take: [1], seen: [FIRST] }] }]);
  });
});
