import { spawnSync } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openRunCounts, refusedIn } from './run-counts.ts';

it('keeps its counts after its descriptor is closed', () => {
  const counts = openRunCounts();
  const { descriptor } = counts.handle;
  writeSync(descriptor ?? -1, '2\n5\n1\n');
  counts[Symbol.dispose]();
  expect([counts.leftRunning(), counts.refused(), counts.refused([])]).toEqual([1, 3, 0]);
});

it('counts packets without a route, and to closed ports', () => {
  const counts = [
    'Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams InUnknownProtos InDiscards InDelivers OutRequests OutDiscards OutNoRoutes ReasmTimeout',
    'Ip: 2 64 8 0 0 0 0 0 8 8 2 5 0',
    'Udp: InDatagrams NoPorts InErrors',
    'Udp: 0 4 0',
    'UdpLite: 0 9 0',
  ].join('\n');
  expect(refusedIn(counts)).toBe(9);
  expect(refusedIn('')).toBe(0);
});

it('counts what the network refused only if it can matter: a shell takes longer for it than for many a command', () => {
  const lines = (command: string, isShared: boolean, ends: 'all' | 'failures' | 'none'): string[] => {
    using counts = openRunCounts();
    const descriptor = counts.handle.descriptor ?? -1;
    const [program, ...args] = counts.wrap(['/bin/sh', '-c', command], 3, { isShared, ends });
    expect(spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit', descriptor] }).status).toBe(command === 'true' ? 0 : 1);
    const room = Buffer.alloc(64);
    const [before = '', after = ''] = room.toString('latin1', 0, readSync(descriptor, room, 0, 64, 0)).split('\n');
    return isShared ? [before, after].map((line) => (/^\d+$/u.test(line) ? 'count' : line)) : [before, after];
  };
  expect(lines('true', true, 'failures')).toEqual(['count', '-']);
  expect(lines('false', true, 'failures')).toEqual(['count', 'count']);
  expect(lines('true', true, 'all')).toEqual(['count', 'count']);
  expect(lines('false', true, 'none')).toEqual(['count', '-']);
  expect(lines('false', false, 'none')).toEqual(['0', '-']);
});
