import type { CallMeta, ErrorCode } from '@synapse/protocol';
import { expect, it } from 'vitest';
import type { Output } from './output.ts';
import { exitCode, reportThrown } from './report-error.ts';

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

// Ctrl+C while a branch was looked at was told to be a defect of Synapse.
it.each<[string, boolean, number, string]>([
  ['by Ctrl+C', true, 130, 'Interrupted'],
  ['by itself', false, 70, 'failed in a way it should not'],
])('what ends %s says so', (_, isAborted, code, text) => {
  let said = '';
  const err: Output = { isTerminal: false, columns: 100, write: (part) => void (said += part), show: () => {} };
  const ending = new AbortController();
  if (isAborted) ending.abort();
  const thrown = new DOMException('This operation was aborted', 'AbortError');
  expect(reportThrown({ out: err, err, json: true, signal: ending.signal }, thrown)).toBe(code);
  expect(said).toContain(text);
  expect(reportThrown({ out: err, err, json: false, signal: ending.signal }, new Error('broken'))).toBe(70);
});
