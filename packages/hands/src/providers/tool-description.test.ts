import { createHands } from '../runtime/create-hands.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { countTokens } from 'gpt-tokenizer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeTool } from './tool-description.ts';
import { PROBE } from '../testing/probe-tool.ts';

/** Tokens of the whole `tools/list` that every conversation with a client pays. */
const LIST_TOKENS = 4_300;

const base: AnyTool = defineTool({
  ...PROBE,
  description: 'Probes.',
  input: z.strictObject({ path: z.string().describe('Where'), limit: z.int().min(1).default(10) }),
  execute: async () => ({ data: {}, content: '' }),
});

it('tells name, title, description and the slim schema of the input', () => {
  expect(describeTool(base)).toEqual({
    name: 'probe',
    title: 'Probe',
    description: 'Probes.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Where' }, limit: { type: 'integer', minimum: 1, default: 10 } },
      required: ['path'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  });
});

it.each<[Partial<AnyTool>, object]>([
  [
    { effects: 'read', destructive: true },
    { readOnlyHint: true, openWorldHint: false },
  ],
  [{ effects: 'write' }, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }],
  [
    { effects: 'write', destructive: true, idempotent: true },
    { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  ],
  [{ effects: 'exec' }, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
  [
    { effects: 'net', destructive: false, idempotent: true },
    { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  ],
])('%j has the annotations of its declared properties', (parts, annotations) => {
  expect(describeTool({ ...base, ...parts }).annotations).toEqual(annotations);
});

it(`describes all tools in less than ${LIST_TOKENS} tokens`, async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  await using hands = await createHands({ workspace, stateFolder });
  const costs = hands.tools().map((each) => ({ name: each.name, tokens: countTokens(JSON.stringify(describeTool(each))) }));
  const total = countTokens(JSON.stringify(hands.tools().map(describeTool)));
  console.info(`tools/list: ${total} tokens: ${costs.map(({ name, tokens }) => `${name} ${tokens}`).join(', ')}`);
  expect(costs.length).toBeGreaterThan(0);
  expect(total).toBeLessThan(LIST_TOKENS);
});
