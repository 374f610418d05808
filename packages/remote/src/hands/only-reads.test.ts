import { describe, expect, it } from 'vitest';
import { remoteBench } from '../fixtures/bench.ts';
import type { LedgerRow } from '@synapse/protocol/remote';
import { onlyReads, UnrecordedReads, type Turn } from './only-reads.ts';

await using bench = await remoteBench();

describe('onlyReads', () => {
  it.each([
    ['read_file', undefined, true],
    ['search_text', undefined, true],
    ['echo', undefined, true],
    // Reads, but does not say that repeating it changes nothing.
    ['echo_once', undefined, false],
    ['count', undefined, false],
    // Repeating it changes nothing more, but the first time did.
    ['create_directory', undefined, false],
    ['fetch_url', undefined, false],
    ['run_command', undefined, false],
    ['no_such_tool', undefined, false],
    ['Read', 'claude-code', false],
    ['read_file', 'synapse-readonly', false],
  ])('%s in %s: %s', (tool, dialect, expected) => {
    expect(onlyReads(bench.hands, { tool, args: {}, ...(dialect === undefined ? {} : { dialect }) })).toBe(expected);
  });
});

describe('UnrecordedReads', () => {
  const call = (tool: string) => ({ tool, args: {} });
  const start = (id: string, tool = 'echo'): Turn => ({
    starts: [{ type: 'run', id, call: call(tool) }],
    rows: new Map([[id, { id, hash: 'h', state: 'started', call: call(tool) }]]),
  });
  const end = (id: string, bytes = 2): Turn => {
    const row: LedgerRow = { id, hash: 'h', state: 'done', result: { status: 'success', bytes, sha256: 's' } };
    return { starts: [], rows: new Map([[id, row]]) };
  };
  const both = (one: Turn, other: Turn): Turn => ({ starts: [...one.starts, ...other.starts], rows: new Map([...one.rows, ...other.rows]) });
  const nothing: Turn = { starts: [], rows: new Map() };

  it.each<[what: string, turns: readonly Turn[], taken: readonly boolean[]]>([
    ['a read', [start('a'), end('a')], [true, true]],
    ['reads beside each other', [start('a'), both(end('a'), start('b')), end('b')], [true, true, true]],
    ['a result of a call that was not started here', [end('a')], [false]],
    ['a result that is recorded twice', [start('a'), end('a'), end('a')], [true, true, false]],
    ['a result that does not go with its announcement', [start('a'), end('a', 100_000)], [true, false]],
    ['a call that may have an effect', [start('a', 'count'), end('a')], [false, false]],
    ['a read beside a call that may have an effect', [both(start('a'), start('b', 'count')), end('a')], [false, false]],
    ['a read during which a call with an effect ends', [start('a'), end('b'), end('a')], [true, false, false]],
    ['a read during which something else is done', [start('a'), nothing, end('a')], [true, false, false]],
  ])('%s', (_, turns, taken) => {
    using reads = new UnrecordedReads({ handsOf: () => bench.hands, recordAfterMs: 60_000, record: () => {} });
    expect(turns.map((turn) => reads.take(turn))).toEqual(taken);
  });

  it('one that takes longer is recorded while it runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using reads = new UnrecordedReads({ handsOf: () => bench.hands, recordAfterMs: 1, record: resolve });
    expect(reads.take(start('a'))).toBe(true);
    await promise;
    expect(reads.take(end('a'))).toBe(false);
  });
});
