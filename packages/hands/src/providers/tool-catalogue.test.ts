import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkTools } from './check-tools.ts';
import { projectSchema } from './tool-catalogue.ts';
import { PROVIDER_RULES, PROVIDERS } from './provider-rules.ts';
import { repairSchema } from './repair-schema.ts';

const strict = (properties: object): object => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });
const root = (properties: object, rest: object = {}): Record<string, unknown> => ({ type: 'object', properties, ...rest });

it.each<[string, Record<string, unknown>, unknown]>([
  ['optional takes null', root({ a: { type: 'string' } }), strict({ a: { type: ['string', 'null'] } })],
  ['required stays', root({ a: { type: 'string' } }, { required: ['a'] }), strict({ a: { type: 'string' } })],
  ['an enum has null', root({ a: { type: 'string', enum: ['x'] } }), strict({ a: { type: ['string', 'null'], enum: ['x', null] } })],
  [
    'a union has null',
    root({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
    strict({ a: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] } }),
  ],
  ['null once', root({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), strict({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } })],
  ['a constant beside null', root({ a: { const: 1 } }), strict({ a: { anyOf: [{ const: 1 }, { type: 'null' }] } })],
  [
    'a default goes to the description',
    root({ a: { type: 'integer', default: 3, description: 'How many' } }, { required: ['a'] }),
    strict({ a: { type: 'integer', description: 'How many (default 3)' } }),
  ],
  [
    'lengths and patterns go to the description',
    root({ a: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a$' } }, { required: ['a'] }),
    strict({ a: { type: 'string', description: 'not empty; at most 9 characters; matching "^a$"' } }),
  ],
  [
    'known formats stay',
    root({ a: { type: 'string', format: 'date' }, b: { type: 'string', format: 'uri' } }, { required: ['a', 'b'] }),
    strict({ a: { type: 'string', format: 'date' }, b: { type: 'string', description: 'format "uri"' } }),
  ],
  [
    'what tools read is dropped',
    root({ a: { type: 'string', 'x-order': 1, $comment: 'c', readOnly: true } }, { required: ['a'] }),
    strict({ a: { type: 'string' } }),
  ],
  ['no arguments', root({}), strict({})],
  [
    'inside lists and unions',
    root({ a: { type: 'array', items: { anyOf: [root({ b: { type: 'string' } })] } } }, { required: ['a'] }),
    strict({ a: { type: 'array', items: { anyOf: [strict({ b: { type: ['string', 'null'] } })] } } }),
  ],
])('OpenAI strict: %s', (_, schema, projected) => {
  const result = projectSchema(schema, PROVIDER_RULES['openai-strict']);
  expect(result).toEqual(projected);
  expect(checkTools('openai-strict', [{ name: 'a', inputSchema: result }])).toEqual([]);
});

it.each<[string, Record<string, unknown>]>([
  ['free keys', root({ a: { type: 'object', additionalProperties: { type: 'string' } } })],
  ['any object', root({ a: { type: 'object', properties: {} } })],
  ['an open root', root({ a: { type: 'string' } }, { additionalProperties: true })],
  ['any value', root({ a: {} })],
  ['what has no words', root({ a: { not: { type: 'string' } } })],
  ['too deep', Array.from({ length: 12 }).reduce<Record<string, unknown>>((inner) => root({ a: inner }, { required: ['a'] }), { type: 'string' })],
  ['too many choices', root({ a: { type: 'string', enum: Array.from({ length: 1_001 }, (_, index) => `v${index}`) } })],
])('OpenAI strict cannot say %s', (_, schema) => {
  expect(projectSchema(schema, PROVIDER_RULES['openai-strict'])).toBeUndefined();
});

it.each<[string, Record<string, unknown>, unknown]>([
  ['a constant is an enum', root({ a: { const: 'x' } }), root({ a: { type: 'string', enum: ['x'] } })],
  [
    'an enum of numbers goes to the description',
    root({ a: { type: 'integer', enum: [1, 2] } }),
    root({ a: { type: 'integer', description: 'one of 1, 2' } }),
  ],
  [
    'exclusive bounds go to the description',
    root({ a: { type: 'number', exclusiveMinimum: 0, maximum: 5 } }),
    root({ a: { type: 'number', maximum: 5, description: 'more than 0' } }),
  ],
  [
    'unknown keywords go to the description',
    root({ a: { type: 'array', items: {}, uniqueItems: true }, b: { not: { type: 'null' } } }),
    root({ a: { type: 'array', items: {}, description: 'no item twice' }, b: { description: 'not {"type":"null"}' } }),
  ],
])('Gemini: %s', (_, schema, projected) => {
  expect(projectSchema(schema, PROVIDER_RULES.gemini)).toEqual(projected);
});

/** Schemas as MCP servers have them: good and bad keywords in any mixture. */
const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom('string', 'integer', 'array', 'object', ['string', 'null'], 'boolean') }, { requiredKeys: [] }),
    fc.record(
      {
        type: fc.constantFrom('object', 'array'),
        properties: fc.dictionary(fc.constantFrom('a', 'b_c', 'constructor'), tie('schema'), { maxKeys: 3 }),
        required: fc.subarray(['a', 'b_c', 'z']),
        items: tie('schema'),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        enum: fc.constantFrom(['x'], [1, 'y'], [null]),
        minimum: fc.integer(),
        pattern: fc.constant('^a'),
        default: fc.jsonValue({ maxDepth: 1 }),
        nullable: fc.boolean(),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        $ref: fc.constantFrom('#/$defs/X', '#/properties/a', 'http://example.com'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

it('what is repaired and projected passes every provider', () => {
  const property = fc.property(anySchema, (schema) => {
    const repaired = repairSchema(schema);
    if (!repaired.ok) return;
    for (const provider of PROVIDERS) {
      const projected = projectSchema(repaired.schema, PROVIDER_RULES[provider]);
      if (projected !== undefined) expect(checkTools(provider, [{ name: 'a', inputSchema: projected }])).toEqual([]);
    }
  });
  expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
});
