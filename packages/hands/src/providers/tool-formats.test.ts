import { expect, it } from 'vitest';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import type { ToolCaller } from './run-tool-calls.ts';
import type { ToolDescription } from './tool-description.ts';
import { TOOL_FORMATS, writeTools } from './tool-formats.ts';

const noTools: ToolCaller = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** One tool of each kind that formats treat differently; the golden files must not change with our own tools. */
const SAMPLE: readonly ToolDescription[] = [
  {
    name: 'read_file',
    title: 'Read a file',
    description: 'Read a text file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path relative to the workspace' },
        offset: { type: 'integer', default: 1, description: 'First line' },
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 1_000 },
        case: { type: 'string', enum: ['sensitive', 'smart'], default: 'smart' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'edit_file',
    description: 'Replace parts of a file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        glob: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
        edits: {
          type: 'array',
          items: {
            type: 'object',
            properties: { old_text: { type: 'string' }, replace_all: { type: 'boolean', default: false } },
            required: ['old_text'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
  },
  { name: 'list_tracked', description: 'Takes nothing.', inputSchema: { type: 'object', properties: {}, additionalProperties: false } },
  {
    name: 'mcp:git-hub:create issue',
    description: 'A tool of an MCP server, as such servers define them.',
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        labels: { type: 'object', additionalProperties: { $ref: '#/definitions/Label' } },
        state: { type: ['string', 'null'] },
        kind: { oneOf: [{ const: 'bug' }, { const: 'task' }] },
        tags: { type: 'array' },
      },
      definitions: { Label: { type: 'string', pattern: '^[a-z]+$' } },
    },
  },
];

it.each(TOOL_FORMATS)('%s is as the golden file has it', async (format) => {
  const written = writeTools(SAMPLE, noTools, format);
  const schemas = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && '~standard' in value
      ? (value as { '~standard': { jsonSchema: { input(): unknown } } })['~standard'].jsonSchema.input()
      : value;
  const text = typeof written === 'string' ? written : `${JSON.stringify(written, schemas, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`golden/${format}.${format === 'markdown' ? 'md' : 'json'}`);
});

it('hands give each format, and their tools where none is asked for', async () => {
  await using place = await temporaryHands();
  const { hands } = place;
  expect(hands.tools()).toEqual(CANONICAL_TOOLS);
  expect(hands.tools('json-schema')).toBe(hands.tools('json-schema'));
  for (const format of TOOL_FORMATS) expect(JSON.stringify(hands.tools(format))).toContain('read_file');
  expect(() => hands.tools('opneai' as 'openai')).toThrow('Unknown tool format: "opneai"');
});

it('a tool that cannot be strict is sent without', () => {
  expect(writeTools(SAMPLE, noTools, 'openai-strict').map((tool) => tool.function.strict)).toEqual([true, true, true, false]);
});
