import type { ConsoleChange } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { choicesOf, pathsOf } from './choices.ts';

const change = (kind: ConsoleChange['kind'], path: string): ConsoleChange => ({ kind, path });

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
  expect(pathsOf(choices, new Set())).toBeUndefined();
  expect(pathsOf(choices, new Set(['a', 'gone']))).toEqual(['b']);
  expect(pathsOf(choices, new Set(['a', 'b']))).toEqual([]);
});
