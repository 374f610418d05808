import { expect, it } from 'vitest';
import { displayPath } from '../workspace/byte-name.ts';
import { loadPath, type Image, type SetStep } from '../workspace/changes/step.ts';
import { between, onTop, type BranchSide, type LayerEntry } from './branch-side.ts';

const file = (text: string, mode = 0o644): Image => ({ type: 'file', sha256: text, size: text.length, mode, kept: false });
const folder = (mode: number): Image => ({ type: 'folder', mode });
const set = (path: string, before: Image | null, after: Image | null): SetStep => ({ kind: 'set', path: path.split('/'), before, after });
const side = (steps: SetStep[], unlisted: string[] = [], repositories: string[] = []): BranchSide => ({
  steps,
  unlisted: unlisted.map((path) => ({ path, reason: 'too many' })),
  repositories,
});
const nameOf = (path: SetStep['path']): string => displayPath(loadPath(path));
const told = ({ steps }: Pick<BranchSide, 'steps'>): Record<string, readonly [unknown, unknown]> =>
  Object.fromEntries(steps.map(({ path, before, after }) => [nameOf(path), [textOf(before), textOf(after)]]));
const textOf = (image: Image | null): unknown => (image?.type === 'file' ? image.sha256 : (image?.type ?? null));

it('compares what both changed, and what one alone changed with the workspace', () => {
  const one = side([
    set('both', file('base'), file('one')),
    set('same', file('base'), file('alike')),
    set('mine', file('base'), file('one')),
    set('new', null, file('one')),
    set('gone', file('base'), null),
  ]);
  const other = side([
    set('both', file('base'), file('other')),
    set('same', file('base'), file('alike')),
    set('theirs', file('base'), file('other')),
    set('gone', file('base'), file('kept')),
    set('removed', file('base'), null),
  ]);
  expect(told(between(one, other))).toEqual({
    both: ['one', 'other'],
    mine: ['one', 'base'],
    new: ['one', null],
    gone: [null, 'kept'],
    theirs: ['base', 'other'],
    removed: ['base', null],
  });
  expect(told(between(one, one))).toEqual({});
  expect(told(between(side([]), other))).toEqual(told(other));
});

it('tells permissions apart, of files and of folders', () => {
  const one = side([set('run', file('x'), file('x', 0o755)), set('d', folder(0o755), folder(0o700))]);
  expect(Object.keys(told(between(one, side([]))))).toEqual(['run', 'd']);
});

it('does not claim anything about what one of them does not list', () => {
  const one = side([set('out/a', null, file('one')), set('outside', null, file('one'))]);
  const { steps, unlisted } = between(one, side([], ['out']));
  expect(steps.map(({ path }) => nameOf(path))).toEqual(['outside']);
  expect(unlisted).toEqual([{ path: 'out', reason: 'too many' }]);
});

it('a branch of a branch has what the first one changed, if it did not change it again, put it back or delete it', () => {
  const base = side(
    [
      set('kept', file('base'), file('one')),
      set('again', file('base'), file('one')),
      set('back', file('base'), file('one')),
      set('new', null, file('one')),
    ],
    ['lib'],
    ['git: branch main'],
  );
  const seen: Record<string, LayerEntry> = { back: 'as in the workspace', new: 'deleted' };
  const second = onTop(base, side([set('again', file('base'), file('two'))]), ({ path }) => seen[nameOf(path)] ?? 'nothing');
  expect(told(between(side([]), second))).toEqual({ kept: ['base', 'one'], again: ['base', 'two'] });
  expect(told(between(base, second))).toEqual({ again: ['one', 'two'], back: ['one', 'base'], new: ['one', null] });
  expect([second.unlisted, second.repositories]).toEqual([base.unlisted, base.repositories]);
});
