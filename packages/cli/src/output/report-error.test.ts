import type { CallMeta, ErrorCode } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { exitCode } from './report-error.ts';

const meta: CallMeta = { callId: '1', tool: 'probe', durationMs: 1, summary: 'probe', completion: 'ok' };

it.each<[CallMeta['completion'], number]>([
  ['ok', 0],
  ['failed', 1],
  ['timeout', 124],
])('a call that ran, and ended %s, exits with %i', (completion, code) => {
  expect(exitCode({ ok: true, output: '', content: [], data: {}, meta: { ...meta, completion } })).toBe(code);
});

it.each<[ErrorCode, number]>([
  ['invalid_arguments', 2],
  ['unknown_tool', 2],
  ['denied', 3],
  ['approval_required', 4],
  ['not_found', 5],
  ['tool_failed', 1],
  ['internal', 70],
  ['timeout', 124],
  ['cancelled', 130],
])('a call that failed with %s exits with %i', (errorCode, code) => {
  expect(exitCode({ ok: false, error: { code: errorCode, message: '', retryable: false }, meta })).toBe(code);
});
