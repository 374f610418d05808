import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findCalls } from './call-lines.ts';
import { queryAuditFolder } from './query-audit.ts';

const LINK = { time: '2026-01-01T00:00:00.000Z' };
const HASHES = { prev: '0', hash: '1' };

const startOf = (seq: number, call: string): object => ({
  seq,
  ...LINK,
  type: 'start',
  call,
  tool: 'write_file',
  project: '/p',
  process: '1 1',
  arguments: { text: '"type":"start","call":"other"' },
  ...HASHES,
});
const endOf = (seq: number, start: number, call: string, job?: string): object => ({
  seq,
  ...LINK,
  type: 'end',
  start,
  call,
  tool: 'write_file',
  ok: true,
  completion: 'ok',
  summary: '',
  duration_ms: 1,
  result_bytes: 1,
  ...HASHES,
  ...(job === undefined ? {} : { job }),
});

it('finds what a query finds, also across files, with strange ids and damaged lines', () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-call-lines-'));
  try {
    const write = (segment: number, lines: ReadonlyArray<object | string>): void => {
      const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
      writeFileSync(join(base, `audit-00000${segment}.jsonl`), text);
    };
    mkdirSync(base, { recursive: true });
    write(1, [startOf(1, 'a'), startOf(2, 'b"\\'), endOf(3, 2, 'b"\\'), startOf(4, 'late'), 'no record', startOf(5, 'never ended')]);
    write(2, [
      endOf(6, 4, 'late'),
      endOf(7, 1, 'another'),
      startOf(8, 'c'),
      endOf(9, 8, 'c'),
      endOf(10, 8, 'c', 'job-1'),
      '{"seq":11,"time":"x","type":"start","call":"torn"',
    ]);
    const wanted = new Set(['a', 'b"\\', 'late', 'never ended', 'c', 'torn', 'missing']);
    const find = findCalls(base, wanted);
    const queried = new Map([...queryAuditFolder(base)].map((call) => [call.call, call]));
    expect([...queried.keys()].toSorted()).toEqual(['a', 'b"\\', 'c', 'late', 'never ended']);
    for (const call of wanted) expect([call, find(call)]).toEqual([call, queried.get(call)]);
    expect(find('c')?.jobEnd?.job).toBe('job-1');
    expect(find('other')).toBeUndefined();
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
