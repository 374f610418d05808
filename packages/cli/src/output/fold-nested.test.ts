import type { AuditedCall } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { foldNested } from './fold-nested.ts';

/** A call as `id` or `id<parent`. */
function calls(...texts: readonly string[]): AuditedCall[] {
  return texts.map((text) => {
    const [call = '', parent] = text.split('<');
    const start = { call, tool: 'read_file', ...(parent === undefined ? {} : { parent }) };
    return { call, tool: 'read_file', time: '', status: 'ok', start: start as AuditedCall['start'], end: undefined };
  });
}

const told = (rows: ReturnType<typeof foldNested>): string[] => rows.map((row) => ('more' in row ? `${row.more} of ${row.parent}` : row.call));

it.each<readonly [newestFirst: readonly string[], limit: number, rows: readonly string[]]>([
  [['c', 'b', 'a'], 50, ['a', 'b', 'c']],
  [['c', 'b', 'a'], 2, ['b', 'c']],
  [['t<e', 'e', 'a'], 50, ['a', 'e', 't']],
  [['z', '6<p', '5<p', '4<p', '3<p', '2<p', '1<p', 'p', 'a'], 50, ['a', 'p', '3 of p', '4', '5', '6', 'z']],
  [['z', '6<p', '5<p', '4<p', '3<p', '2<p', '1<p', 'p', 'a'], 6, ['p', '3 of p', '4', '5', '6', 'z']],
  [['z', '4<p', '3<p', '2<p', '1<p', 'p'], 4, ['2', '3', '4', 'z']],
  [['4<p', '4<q', '3<q', '3<p', '2<p', '2<q', '1<q', '1<p'], 50, ['1 of p', '1 of q', '2', '2', '3', '3', '4', '4']],
])('%j, at most %d', (newestFirst, limit, rows) => {
  expect(told(foldNested(calls(...newestFirst), limit))).toEqual(rows);
});
