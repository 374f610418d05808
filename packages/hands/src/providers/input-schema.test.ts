import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DIALECTS } from '../dialects/find-dialect.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { repairSchema } from './repair-schema.ts';
import { slimSchema, zodSchema } from './input-schema.ts';

const byZod = (schema: z.ZodObject): JsonSchema => slimSchema(z.toJSONSchema(schema, { io: 'input' }));
/** Texts, not values: the order of the words is the same as well. */
const text = (value: unknown): string => JSON.stringify(value);

const all = [
  ...CANONICAL_TOOLS.map(({ name, input }) => [name, input] as const),
  ...DIALECTS.flatMap((dialect) => dialect.tools.map(({ name, input }) => [`${dialect.name}/${name}`, input] as const)),
];

describe('zodSchema', () => {
  it.each(all)('%s, to the letter as zod has it, and nothing to repair', (_, input) => {
    const written = zodSchema(input);
    if (written === undefined) return;
    expect(text(written)).toBe(text(byZod(input)));
    expect(repairSchema(written)).toEqual({ ok: true, schema: written, repairs: [] });
  });

  it('leaves little of our own tools to zod', () => {
    expect(all.filter(([, input]) => zodSchema(input) === undefined).map(([name]) => name)).toEqual([
      'synapsis/mcp_tool',
      'openai/apply_patch',
      'openai/shell',
      'openai/local_shell',
    ]);
  });

  const leaf = fc.oneof(
    fc.tuple(fc.option(fc.nat(9)), fc.option(fc.nat(9))).map(([low, high]) => {
      const least = low === null ? z.string() : z.string().min(low);
      return high === null ? least : least.max(high);
    }),
    fc
      .array(fc.tuple(fc.constantFrom('min', 'max', 'gt', 'lt', 'int'), fc.integer({ min: -5, max: 5 })), { maxLength: 3 })
      .chain((checks) =>
        fc.constantFrom(z.number(), z.int()).map((start) => checks.reduce((number, [check, value]) => number[check](value as never), start)),
      ),
    fc.constant(z.string().length(3)),
    fc.constant(z.boolean()),
    fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map((values) => z.enum(values)),
    fc.oneof(fc.string(), fc.integer(), fc.boolean()).map((value) => z.literal(value)),
    // Kinds that are left to zod, wherever they stand.
    fc.constantFrom<z.ZodType>(z.email(), z.unknown(), z.null(), z.iso.date(), z.number().multipleOf(2), z.int32(), z.literal(['a', 1])),
  );
  const wrap = (schema: z.ZodType, how: string): z.ZodType => {
    const ways: Record<string, () => z.ZodType> = {
      plain: () => schema,
      told: () => schema.describe('what it is'),
      optional: () => schema.optional(),
      nullable: () => schema.nullable(),
      default: () => schema.default('x' as never),
      refined: () => schema.refine(() => true),
      changed: () => schema.transform((value) => value),
      prepared: () => z.preprocess((value) => value, schema),
      titled: () => schema.meta({ title: 'T' }),
      readonly: () => schema.readonly(),
      prefault: () => schema.prefault('x' as never),
    };
    return ways[how]?.() ?? schema;
  };
  const ways = ['plain', 'told', 'optional', 'nullable', 'default', 'refined', 'changed', 'prepared', 'titled', 'readonly', 'prefault'];
  const { any } = fc.letrec<{ any: z.ZodType; bare: z.ZodType }>((tie) => ({
    any: fc.tuple(tie('bare'), fc.array(fc.constantFrom(...ways), { maxLength: 3 })).map(([schema, how]) => how.reduce(wrap, schema)),
    bare: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      leaf,
      fc.tuple(tie('any'), fc.nat(2)).map(([item, least]) => (least === 0 ? z.array(item) : z.array(item).min(least).max(9))),
      fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((options) => z.union(options)),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'type'), tie('any'), { maxKeys: 3 }).map((shape) => z.strictObject(shape)),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('any'), { maxKeys: 2 }).map((shape) => z.object(shape)),
      tie('any').map((value) => z.record(z.string(), value)),
      tie('any').map((value) => z.object({ a: z.string() }).catchall(value)),
    ),
  }));

  it('says what zod says, of any schema, or nothing', () => {
    let written = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), any, { maxKeys: 3 }), fc.boolean(), (shape, strict) => {
        const input = strict ? z.strictObject(shape) : z.object(shape);
        const ours = zodSchema(input);
        if (ours === undefined) return;
        written += 1;
        expect(text(ours)).toBe(text(byZod(input)));
        expect(repairSchema(ours)).toEqual({ ok: true, schema: ours, repairs: [] });
      }),
      { numRuns: 1_500 },
    );
    expect(written).toBeGreaterThan(200);
  });

  it('leaves to zod what holds itself', () => {
    const node = z.object({
      name: z.string(),
      get left() {
        return node.optional();
      },
      get right() {
        return node.optional();
      },
    });
    expect(zodSchema(node)).toBeUndefined();
    expect(zodSchema(z.object({ tree: z.array(node).default([]) }))).toBeUndefined();
  });

  it('keeps a default apart from what the schema holds', () => {
    const value = { a: [1] };
    const input = z.object({ x: z.object({ a: z.array(z.number()) }).default(value) });
    const properties = zodSchema(input)?.['properties'] as { x: { default: { a: number[] } } };
    properties.x.default.a.push(2);
    expect(value).toEqual({ a: [1] });
  });
});

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
