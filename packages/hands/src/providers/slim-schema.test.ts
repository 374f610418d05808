import { expect, it } from 'vitest';
import { slimSchema } from './slim-schema.ts';

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

it.each([
  ['the dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }, { type: 'object' }],
  ['bounds of safe integers', { type: 'integer', ...SAFE }, { type: 'integer' }],
  ['real bounds stay', { type: 'integer', minimum: 1, maximum: 9 }, { type: 'integer', minimum: 1, maximum: 9 }],
  [
    'nested in fields, items and alternatives',
    { properties: { a: { items: { anyOf: [{ type: 'integer', ...SAFE }] } } } },
    { properties: { a: { items: { anyOf: [{ type: 'integer' }] } } } },
  ],
  [
    'a field named as a keyword stays',
    { properties: { minimum: { type: 'number' }, $schema: {} } },
    { properties: { minimum: { type: 'number' }, $schema: {} } },
  ],
  ['a default value is data', { default: { ...SAFE } }, { default: { ...SAFE } }],
])('%s', (_, schema, slim) => {
  expect(slimSchema(schema)).toEqual(slim);
});
