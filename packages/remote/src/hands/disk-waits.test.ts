import type { LedgerRow } from '@synapse/protocol/remote';
import { describe, expect, it } from 'vitest';
import { remoteBench } from '../fixtures/bench.ts';
import { DiskWaits, type DiskWaitsOptions, type Turn } from './disk-waits.ts';

await using bench = await remoteBench();

const call = (tool: string) => ({ tool, args: {} });

const start = (id: string, tool = 'echo'): Turn => ({
  starts: [{ type: 'run', id, call: call(tool) }],
  rows: new Map([[id, { id, hash: 'h', state: 'started', call: call(tool) }]]),
});

const end = (id: string, bytes = 2): Turn => {
  const row: LedgerRow = { id, hash: 'h', state: 'done', result: { status: 'success', bytes, sha256: 's' } };
  return { starts: [], rows: new Map([[id, row]]) };
};

const queue = (id: string): Turn => ({ starts: [], rows: new Map([[id, { id, hash: 'h', state: 'accepted', call: call('echo') }]]) });
const both = (one: Turn, other: Turn): Turn => ({ starts: [...one.starts, ...other.starts], rows: new Map([...one.rows, ...other.rows]) });
const nothing: Turn = { starts: [], rows: new Map() };

const waits = (options: Partial<DiskWaitsOptions> = {}): DiskWaits =>
  new DiskWaits({ handsOf: () => bench.hands, recordAfterMs: 60_000, syncAfterMs: 60_000, record: () => {}, sync: () => {}, ...options });

describe('a turn goes on without the disk', () => {
  it.each<[what: string, turns: readonly Turn[], goOn: readonly boolean[]]>([
    ['a read', [start('a'), end('a')], [true, true]],
    ['reads beside each other', [start('a'), both(end('a'), start('b')), end('b')], [true, true, true]],
    ['a call that may have an effect waits before it starts', [start('a', 'count'), end('a')], [false, true]],
    ['calls that may have an effect, beside each other', [start('a', 'count'), both(end('a'), start('b', 'count')), end('b')], [false, false, true]],
    ['a read beside a call that may have an effect', [both(start('a'), start('b', 'count')), end('a'), end('b')], [false, true, true]],
    ['a read during which a call with an effect ends', [start('b', 'count'), start('a'), end('b'), end('a')], [false, true, true, true]],
    ['a call that waits for its turn', [queue('a'), start('a'), end('a')], [false, true, true]],
    ['what is said of a call that did not start here', [end('a')], [false]],
    ['what is said of a call that waits: it must not run later', [queue('a'), end('a')], [false, false]],
    ['a result that is recorded twice', [start('a'), end('a'), end('a')], [true, true, false]],
    ['a result that does not go with its announcement', [start('a'), end('a', 100_000)], [true, false]],
    ['a large result of a call with an effect', [start('a', 'count'), end('a', 100_000)], [false, false]],
    ['a read during which something else is done', [start('a'), nothing, end('a')], [true, false, true]],
    ['a turn after all ended', [start('a'), end('a'), nothing], [true, true, true]],
  ])('%s', (_, turns, goOn) => {
    using disk = waits();
    expect(turns.map((turn) => disk.mayGoOn(turn))).toEqual(goOn);
  });
});

describe('what went on without the disk is on it soon', () => {
  it('a read that takes longer is recorded while it runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using disk = waits({ recordAfterMs: 1, record: resolve });
    expect(disk.mayGoOn(start('a'))).toBe(true);
    await promise;
    expect([disk.mayGoOn(nothing), disk.mayGoOn(end('a'))]).toEqual([false, true]);
  });

  it.each<[what: string, begin: (disk: DiskWaits) => void]>([
    ['what a caller asks for', (disk) => disk.soon()],
    [
      'a result that ends while others start',
      (disk) => expect([start('a'), end('a'), start('b', 'count')].map((turn) => disk.mayGoOn(turn))).toEqual([true, true, false]),
    ],
  ])('%s is made durable', async (_, begin) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using disk = waits({ syncAfterMs: 1, sync: resolve });
    begin(disk);
    await expect(promise).resolves.toBeUndefined();
  });

  it('a result is made durable', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using disk = waits({ syncAfterMs: 1, sync: resolve });
    expect([disk.mayGoOn(start('a')), disk.mayGoOn(end('a')), disk.mayGoOn(nothing)]).toEqual([true, true, true]);
    await expect(promise).resolves.toBeUndefined();
  });
});
