import type { CallMeta, CallResult } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { callResult, type McpCallResult } from './call-tool.ts';

const meta: CallMeta = { callId: '1', tool: 'probe', durationMs: 1, summary: 'probe', completion: 'ok' };
const success = { ok: true, output: 'not used', data: { big: 'not sent' }, meta } as const;

it.each<[string, CallResult, McpCallResult]>([
  ['a text', { ...success, content: [{ type: 'text', text: 'body\n' }] }, { content: [{ type: 'text', text: 'body\n' }] }],
  [
    'a note and its text as one item, which a client keeps or drops as a whole',
    {
      ...success,
      content: [
        { type: 'note', text: '[lines 1-2 of 9]' },
        { type: 'text', text: 'body' },
      ],
    },
    { content: [{ type: 'text', text: '[lines 1-2 of 9]\nbody' }] },
  ],
  [
    'texts around an image, in order',
    {
      ...success,
      content: [
        { type: 'note', text: '[3 pictures]' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'body' },
      ],
    },
    {
      content: [
        { type: 'text', text: '[3 pictures]' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'body' },
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
