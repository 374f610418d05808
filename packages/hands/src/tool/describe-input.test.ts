import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MCP_DATA } from '../mcp-client/tools/answer.ts';
import { describeData, describeInput } from './describe-input.ts';
import type { JsonSchema } from './json-schema.ts';

const LOOSE = z.looseObject({});
const given = (properties: JsonSchema, more: JsonSchema = {}): string =>
  describeInput({ name: 'mcp:s:t', input: LOOSE, inputSchema: { type: 'object', properties, ...more } });

/** A schema that is nested so deep, and ends in a text. */
const nested = (levels: number): JsonSchema =>
  JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`) as JsonSchema;

describe('describeInput', () => {
  it.each<readonly [what: string, properties: JsonSchema, more: JsonSchema, expected: string]>([
    [
      'fields, lists and objects in them',
      { user: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
      { required: ['user'] },
      '{ user: { id: integer }, tags?: ["a" | "b", …] }',
    ],
    [
      'types that are named',
      { user: { $ref: '#/$defs/User' } },
      { $defs: { User: { type: 'object', properties: { id: {} } } } },
      '{ user?: { id?: unknown } }',
    ],
    ['names that no program can write as they are', { 'get-all': { type: ['boolean', 'null'] } }, {}, '{ "get-all"?: boolean | null }'],
    ['what refers to nothing', { a: { $ref: '#/$defs/constructor' }, b: { $ref: 5 } }, {}, '{ a?: unknown, b?: unknown }'],
    [
      'what is no schema',
      { a: null, b: [1], c: { type: [{}, 5] }, d: { enum: 5 }, e: { anyOf: 'x', type: 'string' } },
      { required: 'a' },
      '{ a?: unknown, b?: unknown, c?: unknown, d?: unknown, e?: string }',
    ],
  ])('tells of the schema of a server %s', (_, properties, more, expected) => {
    expect(given(properties, more)).toBe(`mcp:s:t ${expected}`);
  });

  it('ends where a schema contains itself, or is too deep', () => {
    const self = { $ref: '#/$defs/Tree' };
    const tree = { type: 'object', properties: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, self])) };
    for (const text of [given({ tree: self }, { $defs: { Tree: tree } }), given({ deep: nested(20_000) })]) {
      expect(text.length).toBeLessThan(100_000);
      expect(text).toContain('unknown');
    }
  });
});

describe('describeData', () => {
  it('tells the structured value of a tool of a server as the server declares it', () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
    expect(describeData({ output: MCP_DATA })).toBe('{ content: [{ type: string, text?: string }, …], structured?: unknown }');
    expect(describeData({ output: MCP_DATA, outputSchema })).toBe('{ content: [{ type: string, text?: string }, …], structured: { sum: number } }');
  });
});
