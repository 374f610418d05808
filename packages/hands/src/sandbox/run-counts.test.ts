import { writeSync } from 'node:fs';
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
