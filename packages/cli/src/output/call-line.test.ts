import type { AuditedCall } from '@synapse/hands/internal';
import { describe, expect, it } from 'vitest';
import { callLine } from './call-line.ts';
import { width } from './columns.ts';

const link = { seq: 1, time: '2026-11-20T09:30:00.123Z', prev: '', hash: '' };
const start: AuditedCall['start'] = {
  ...link,
  type: 'start',
  call: 'id',
  tool: 'read_file',
  project: '/p',
  process: '1 1',
  arguments: { path: 'a' },
};
const end: NonNullable<AuditedCall['end']> = {
  ...link,
  type: 'end',
  start: 1,
  call: 'id',
  tool: 'read_file',
  ok: true,
  completion: 'ok',
  summary: 'read_file(package.json) → 1.2KB',
  duration_ms: 1.234,
  result_bytes: 1_200,
};
const call = (fields: Partial<AuditedCall>): AuditedCall => ({ call: 'id', tool: 'read_file', time: link.time, status: 'ok', start, end, ...fields });

it.each<[string, AuditedCall, string]>([
  ['a call that ran', call({}), '2026-11-20 09:30:00  ok           read_file(package.json) → 1.2KB  (1.2 ms, id)'],
  [
    'a failure',
    call({ status: 'failed', end: { ...end, ok: false, code: 'denied', duration_ms: 120.4 } }),
    '2026-11-20 09:30:00  failed       read_file(a) → denied  (120 ms, id)',
  ],
  ['an interruption', call({ status: 'interrupted', end: undefined }), '2026-11-20 09:30:00  interrupted  read_file(a) → interrupted  (id)'],
  [
    'a random id by its beginning',
    call({ call: '09646820-c43f-411c-8c0e-0e14e03a9d7b' }),
    '2026-11-20 09:30:00  ok           read_file(package.json) → 1.2KB  (1.2 ms, 09646820)',
  ],
  [
    'whom it belongs to',
    call({ start: { ...start, step: 'step-1', session: 's' } }),
    '2026-11-20 09:30:00  ok           read_file(package.json) → 1.2KB  (1.2 ms, step-1, session s, id)',
  ],
  [
    'text that would act on a terminal',
    call({ start: { ...start, session: '\u001b[2J\n' }, end: { ...end, summary: 'x\u001b]0;t\u0007\ny' } }),
    '2026-11-20 09:30:00  ok           x␛]0;t␇␊y  (1.2 ms, session ␛[2J␊, id)',
  ],
])('shows %s', (_, given, line) => {
  expect(callLine(given)).toBe(line);
});

describe('on a terminal', () => {
  const command = 'npm run build --workspace packages/console -- --watch && echo a long command line';
  const long = call({
    call: '09646820-c43f-411c-8c0e-0e14e03a9d7b',
    status: 'failed',
    start: { ...start, tool: 'run_command', arguments: { command, cwd: '.', live: false }, session: '5f1c6820-c43f-411c-8c0e-0e14e03a9d7b' },
    tool: 'run_command',
    end: { ...end, ok: false, code: 'approval_required', sandbox: 'bubblewrap' },
  });
  const defaults = new Map([
    ['cwd', '"."'],
    ['live', 'false'],
  ]);

  it.each([80, 100, 120])('is one line of %i columns that ends with the id', (columns) => {
    const line = callLine(long, { columns, defaults });
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(line).toMatch(/^11-20 09:30:00 {2}failed +run_command\(npm.*…? → approval_required {2}\(.*09646820\)$/u);
    expect(line).not.toMatch(/[{}]|cwd|live/u);
  });

  it('keeps the id where there is room for little else', () => {
    const line = callLine(long, { columns: 60, defaults });
    expect(line.length).toBeLessThanOrEqual(60);
    expect(line).toMatch(/^11-20 09:30:00 {2}failed +run_command\(.*… {2}\(09646820\)$/u);
  });

  it('has the facts that fit', () => {
    expect(callLine(call({ start: { ...start, session: 's', step: 'step-1' } }), { columns: 80 })).toBe(
      '11-20 09:30:00  ok           read_file(package.json) → 1.2KB  (1.2 ms, id)',
    );
    expect(callLine(call({ start: { ...start, session: 's' } }), { columns: 200 })).toContain('(1.2 ms, session s, id)');
  });

  it('counts wide characters as two cells', () => {
    const wide = call({ end: { ...end, summary: `read_file(${'界'.repeat(60)}) → 1.2KB` } });
    const line = callLine(wide, { columns: 80 });
    expect(line).toContain('界');
    expect(width(line)).toBeLessThanOrEqual(80);
  });
});
