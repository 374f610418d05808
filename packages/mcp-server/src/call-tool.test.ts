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

const shown = {
  ...success,
  data: { rows: Array.from({ length: 5_000 }, (_, row) => `row ${row} "quoted"`), text: 'x\t'.repeat(9_000), more: 1 },
} as const;
const content = [
  { type: 'note', text: '[5000 rows]' },
  { type: 'text', text: 'row' },
] as const;

it('sends no structured value where none is declared', () => {
  expect(callResult({ ...shown, content: [...content] })).not.toHaveProperty('structuredContent');
});

it.each([2_000, 7_700, 40_000])('keeps a structured value in %d characters, of the same form, and says what it lacks', (jsonCharacters) => {
  const { structuredContent } = callResult({ ...shown, content: [...content] }, { structured: true, client: { readerLimits: { jsonCharacters } } });
  expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(jsonCharacters + 200);
  expect(structuredContent).toMatchObject({ more: 1, notes: expect.stringMatching(/^\[5000 rows\]\n\[Cut here, .*rows/u) as string });
  const { rows, text } = structuredContent as { rows: string[]; text: string };
  expect(shown.data.rows.slice(0, rows.length)).toEqual(rows);
  expect(shown.data.text.startsWith(text)).toBe(true);
});

const nested = (levels: number, value: unknown): unknown => {
  let whole = value;
  for (let level = 0; level < levels; level += 1) whole = { [`level${level}`]: whole };
  return whole;
};

it.each<[what: string, returned: unknown, expected: unknown]>([
  ['a text in an object', { a: 'x'.repeat(300_000), b: 1 }, { a: expect.stringMatching(/^x{1000}/u) as unknown, b: 1 }],
  ['a list in an object', { list: Array.from({ length: 90_000 }, (_, index) => index) }, { list: expect.arrayContaining([0, 1, 2]) as unknown }],
  ['a table of many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index])), { key0: 0, key1: 1 }],
  ['what is deep', nested(4, { text: 'x'.repeat(300_000) }), nested(4, { text: expect.stringMatching(/^x{1000}/u) as unknown })],
  ['what is deeper than is looked at', nested(2_000, 'x'.repeat(300_000)), expect.objectContaining({}) as unknown],
  ['a field with a name that objects have', JSON.parse(`{"__proto__":"${'x'.repeat(300_000)}","b":1}`), expect.objectContaining({ b: 1 }) as unknown],
])('cuts %s', (_, returned, expected) => {
  const data = { returned, calls: 3 };
  const { structuredContent } = callResult({ ...success, data, content: [] }, { structured: true });
  expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(100_200);
  expect(structuredContent).toMatchObject({ returned: expected, calls: 3, notes: expect.stringContaining('Cut here') as unknown });
});
