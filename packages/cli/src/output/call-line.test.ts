import type { AuditedCall } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { callLine } from './call-line.ts';

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
    '2026-11-20 09:30:00  failed       read_file({"path":"a"}) → denied  (120 ms, id)',
  ],
  [
    'an interruption',
    call({ status: 'interrupted', end: undefined }),
    '2026-11-20 09:30:00  interrupted  read_file({"path":"a"}) → interrupted  (id)',
  ],
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
