import type { CallMeta, CallResult } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { callResult, type McpCallResult } from './call-result.ts';

const meta: CallMeta = { callId: '1', tool: 'probe', durationMs: 1, summary: 'probe', completion: 'ok' };
const success = { ok: true, output: 'not used', data: { big: 'not sent' }, meta } as const;

it.each<[string, CallResult, McpCallResult]>([
  ['a text', { ...success, content: [{ type: 'text', text: 'body\n' }] }, { content: [{ type: 'text', text: 'body\n' }] }],
  [
    'a text and its note, apart',
    {
      ...success,
      content: [
        { type: 'text', text: 'body' },
        { type: 'note', text: '[lines 1-2 of 9]' },
      ],
    },
    {
      content: [
        { type: 'text', text: 'body' },
        { type: 'text', text: '[lines 1-2 of 9]' },
      ],
    },
  ],
  [
    'an image',
    { ...success, content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  ],
  ['an empty text, left out', { ...success, content: [{ type: 'text', text: '' }] }, { content: [] }],
  [
    'a command that failed: the call did not',
    { ...success, content: [{ type: 'text', text: 'x' }], meta: { ...meta, completion: 'failed' } },
    { content: [{ type: 'text', text: 'x' }], _meta: { 'synapse/completion': 'failed' } },
  ],
  [
    'a failure',
    { ok: false, error: { code: 'not_found', message: 'No file at a.txt.', hint: 'Use find_files.', retryable: false }, meta },
    { content: [{ type: 'text', text: 'Error: No file at a.txt.\nUse find_files.' }], isError: true, _meta: { 'synapse/code': 'not_found' } },
  ],
])('%s', (_, result, expected) => {
  expect(callResult(result)).toEqual(expected);
});

it('passes text on without a copy', () => {
  const block = { type: 'text', text: 'x'.repeat(1_000_000) } as const;
  expect(callResult({ ...success, content: [block] }).content[0]).toBe(block);
});
