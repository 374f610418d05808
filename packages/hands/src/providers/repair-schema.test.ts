import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { checkTools } from './check-tools.ts';
import { PROVIDERS } from './provider-rules.ts';
import { repairSchema } from './repair-schema.ts';

const root = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest });

it.each<[string, unknown, unknown]>([
  ['a good schema stays', root({ a: { type: 'string' } }), root({ a: { type: 'string' } })],
  ['nothing', {}, root({})],
  ['no properties', { type: 'object' }, root({})],
  ['no type', { properties: { a: {} } }, root({ a: {} })],
  ['an array without items', root({ a: { type: 'array' } }), root({ a: { type: 'array', items: {} } })],
  [
    'items by place',
    root({ a: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } }),
    root({ a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }),
  ],
  [
    'a list of types',
    root({ a: { type: ['string', 'null'], minLength: 2, description: 'A' } }),
    root({ a: { description: 'A', anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] } }),
  ],
  ['a list of one type', root({ a: { type: ['string'] } }), root({ a: { type: 'string' } })],
  [
    'an enum with null',
    root({ a: { type: ['string', 'null'], enum: ['x', null] } }),
    root({ a: { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] } }),
  ],
  ['an enum without a type', root({ a: { enum: ['x', 'y'] } }), root({ a: { type: 'string', enum: ['x', 'y'] } })],
  [
    'oneOf',
    root({ a: { oneOf: [{ type: 'string' }, { type: 'number' }], discriminator: { propertyName: 'k' } } }),
    root({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
  ],
  ['an allOf of one', root({ a: { allOf: [{ type: 'string' }], description: 'A' } }), root({ a: { type: 'string', description: 'A' } })],
  ['nullable', root({ a: { type: 'string', nullable: true } }), root({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } })],
  [
    'exclusive bounds of draft 4',
    root({ a: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } }),
    root({ a: { type: 'integer', exclusiveMinimum: 0, maximum: 9 } }),
  ],
  ['required of what is not there', root({ a: {} }, { required: ['a', 'b', 'a'] }), root({ a: {} }, { required: ['a'] })],
  [
    'a reference',
    { ...root({ a: { $ref: '#/$defs/A', description: 'here' } }), $defs: { A: { type: 'string', description: 'there' } } },
    root({ a: { type: 'string', description: 'here' } }),
  ],
  [
    'a reference in a reference',
    { ...root({ a: { $ref: '#/definitions/A~1x%20y' } }), definitions: { 'A/x y': { $ref: '#/definitions/B' }, B: { type: 'number' } } },
    root({ a: { type: 'number' } }),
  ],
  [
    'a field named as a keyword',
    root({ nullable: { type: 'string' }, $ref: { type: 'string' }, oneOf: { type: 'string' }, constructor: { type: 'string' } }),
    root({ nullable: { type: 'string' }, $ref: { type: 'string' }, oneOf: { type: 'string' }, constructor: { type: 'string' } }),
  ],
  [
    'a default that looks like a schema',
    root({ a: { type: 'object', properties: {}, default: { oneOf: [1], nullable: true } } }),
    root({ a: { type: 'object', properties: {}, default: { oneOf: [1], nullable: true } } }),
  ],
  [
    'a root of alternatives',
    {
      oneOf: [
        root({ k: { type: 'string' }, a: { type: 'string' } }, { required: ['k', 'a'] }),
        root({ k: { type: 'string' }, b: { type: 'number' } }, { required: ['k'] }),
      ],
    },
    root({ k: { type: 'string' }, a: { type: 'string' }, b: { type: 'number' } }, { required: ['k'] }),
  ],
  ['a root that wants one of its fields', root({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }), root({ a: {}, b: {} })],
])('%s', (_, schema, repaired) => {
  const result = repairSchema(schema);
  expect(result).toMatchObject({ ok: true });
  expect(result.ok && result.schema).toEqual(repaired);
  // Repaired once is repaired for good.
  expect(repairSchema(repaired)).toMatchObject({ ok: true, repairs: [] });
});

it('tells what it did, and where', () => {
  const result = repairSchema(root({ list: { type: 'array', items: { oneOf: [{ type: 'string' }] } } }));
  expect(result).toMatchObject({ repairs: [{ field: 'properties.list.items', rule: 'oneOf is written as anyOf' }] });
});

const levels = (depth: number): object => (depth === 0 ? { type: 'string' } : root({ a: levels(depth - 1) }));
const bomb = Object.fromEntries(
  Array.from({ length: 30 }, (_, index) => [`d${index}`, root({ a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } })]),
);
const circle: Record<string, unknown> = { type: 'object' };
circle['properties'] = { a: circle };

it.each<[string, unknown, string]>([
  ['a schema in itself', { ...root({ a: { $ref: '#/$defs/A' } }), $defs: { A: root({ a: { $ref: '#/$defs/A' } }) } }, 'contains itself'],
  [
    'two in one another',
    { ...root({ a: { $ref: '#/$defs/A' } }), $defs: { A: { anyOf: [{ $ref: '#/$defs/B' }] }, B: { items: { $ref: '#/$defs/A' } } } },
    'contains itself',
  ],
  ['the whole in a part', root({ a: { $ref: '#' } }), 'refers to the whole schema'],
  ['nothing there', root({ a: { $ref: '#/$defs/none' } }), 'refers to what is not there'],
  ['a key of the prototype', root({ a: { $ref: '#/constructor' } }), 'refers to what is not there'],
  ['another document', root({ a: { $ref: 'http://169.254.169.254/x' } }), 'never fetched'],
  ['a file', root({ a: { $ref: 'file:///etc/passwd' } }), 'never fetched'],
  ['a dynamic reference', root({ a: { $dynamicRef: '#x' } }), 'has $dynamicRef'],
  ['a bomb of references', { ...root({ a: { $ref: '#/$defs/d0' } }), $defs: { ...bomb, d30: { type: 'string' } } }, 'grows too large'],
  ['depth', levels(200), 'nested more than 64'],
  ['a real circle', circle, 'nested more than 64'],
  ['5 MB', root({ a: { description: 'x'.repeat(5_000_000) } }), 'more than 524,288 characters'],
  [
    'many values',
    root(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`f${index}`, { type: 'string' }]))),
    'more than 20,000 values',
  ],
  ['a prototype', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), 'would set a prototype'],
  ['a function', root({ a: () => {} }), 'is a function'],
  ['a list', [], 'is no object'],
  ['null', null, 'is no object'],
])('refuses %s, in bounded time', (_, schema, problem) => {
  const start = computedMs();
  const result = repairSchema(schema);
  expect(result.ok).toBe(false);
  expect(!result.ok && result.error.message).toContain(problem);
  expect(computedMs() - start).toBeLessThan(5_000);
  // The check does not choke on it either.
  for (const provider of PROVIDERS) expect(() => checkTools(provider, [{ name: 'a', inputSchema: schema }])).not.toThrow();
});

it('asks no address, whatever a schema refers to', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  repairSchema(root({ a: { $ref: `http://127.0.0.1:${port}/schema.json` } }));
  checkTools('anthropic', [{ name: 'a', inputSchema: { $ref: `http://127.0.0.1:${port}/schema.json` } }]);
  await new Promise((resolve) => setImmediate(resolve));
  server.close();
  expect(asked).toBe(0);
});
