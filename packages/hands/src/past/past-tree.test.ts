import { describe, expect, it } from 'vitest';
import type { Image, Step } from '../workspace/changes/step.ts';
import { PastTree, type PastSource } from './past-tree.ts';

const file: Image = { type: 'file', sha256: 'f'.repeat(64), size: 1, mode: null, kept: true };
const folder: Image = { type: 'folder', mode: null };
const whole = (type: 'file' | 'folder', inode: string): Image => {
  const facts = { modified: '0', size: '1', entries: 1, bytes: 1 };
  return type === 'folder' ? { type, mode: null, inode, whole: facts } : { type, sha256: '', size: 1, mode: null, kept: false, inode, whole: facts };
};
const set = (path: string, before: Image | null, after: Image | null): Step => ({ kind: 'set', path: path.split('/'), before, after });
const swap = (path: string, before: Image | null, after: Image | null, keep: 'old' | 'new' = 'old'): Step => ({
  kind: 'set',
  path: path.split('/'),
  before,
  after,
  swap: { area: 'area-1', slot: 0, keep },
});
const move = (from: string, to: string): Step => ({ kind: 'move', from: from.split('/'), to: to.split('/'), inode: ':1:1' });

/** A source in words: `now a/b`, `kept below x`. */
function told(source: PastSource): string {
  if (source.kind === 'now') return `now ${source.path.join('/')}`;
  return source.kind === 'kept' ? `kept ${source.below.join('/')}`.trim() : source.kind;
}

describe('the workspace before some steps', () => {
  it.each<[what: string, oldestFirst: Step[], expected: Record<string, string>]>([
    ['what no step touched is as it is now', [set('a', file, file)], { 'b/c': 'now b/c', a: 'replaced' }],
    ['a new file was absent, with its new folders', [set('d', null, folder), set('d/a', null, file)], { d: 'absent', 'd/a': 'absent' }],
    [
      'a deleted folder held what was deleted before',
      [set('d/a', file, null), set('d', folder, null)],
      { d: 'folder', 'd/a': 'replaced', 'd/b': 'absent' },
    ],
    ['a moved file had its other name', [move('a', 'b')], { a: 'now b', b: 'absent' }],
    ['a file that was changed and then moved', [set('a', file, file), move('a', 'b')], { a: 'replaced', b: 'absent' }],
    ['a file that was moved and then changed', [move('a', 'b'), set('b', file, file)], { a: 'replaced', b: 'absent' }],
    ['what is in a moved folder', [move('d', 'e'), set('e/x', file, null)], { 'd/x': 'replaced', 'd/y': 'now e/y', 'e/y': 'absent' }],
    ['two files that changed places', [move('a', 't'), move('b', 'a'), move('t', 'b')], { a: 'now b', b: 'now a', t: 'absent' }],
    ['a folder that was replaced as a whole', [swap('d', whole('folder', ':1:1'), null)], { d: 'kept', 'd/e/f': 'kept e/f' }],
    ['a mode of a folder', [set('d', folder, folder)], { 'd/a': 'now d/a' }],
    [
      'what was replaced as a whole and put back',
      [swap('a', whole('file', ':1:1'), whole('file', ':2:2')), swap('a', whole('file', ':2:2'), whole('file', ':1:1'), 'new')],
      { a: 'now a' },
    ],
    [
      'a folder that was deleted, put back, and changed before',
      [set('d/x', file, file), swap('d', whole('folder', ':1:1'), null), swap('d', null, whole('folder', ':1:1'), 'new')],
      { 'd/x': 'replaced', 'd/y': 'now d/y' },
    ],
    [
      'a folder that was put back and then changed',
      [swap('d', whole('folder', ':1:1'), null), swap('d', null, whole('folder', ':1:1'), 'new'), set('d/x', file, null)],
      { 'd/x': 'replaced', 'd/y': 'now d/y' },
    ],
  ])('%s', (_, oldestFirst, expected) => {
    const tree = new PastTree(oldestFirst.toReversed());
    const found = Object.keys(expected).map((path) => [path, told(tree.sourceOf(path.split('/')))]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('names the places that steps touched, outer ones first', () => {
    const tree = new PastTree([set('d/e/a', file, file), move('x', 'y')]);
    expect([...tree.places()].map((path) => path.join('/'))).toEqual(['d/e/a', 'y', 'x']);
    expect(tree.named(['d', 'e'])).toEqual(['a']);
  });
});
