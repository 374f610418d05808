import { expect, it } from 'vitest';
import * as z from 'zod';
import { slimSchema } from '../providers/input-schema.ts';
import { stripNulls } from './strip-nulls.ts';

const SCHEMA = slimSchema(
  z.toJSONSchema(
    z.strictObject({
      path: z.string(),
      limit: z.int().optional(),
      owner: z.string().nullable().optional(),
      anything: z.unknown().optional(),
      edits: z.array(z.strictObject({ text: z.string(), all: z.boolean().default(false) })).optional(),
    }),
    { io: 'input' },
  ),
);

it.each<[string, unknown, unknown]>([
  ['an optional field', { path: 'a', limit: null }, { path: 'a' }],
  ['in a list of objects', { path: 'a', edits: [{ text: 't', all: null }] }, { path: 'a', edits: [{ text: 't' }] }],
  ['not where the field takes null', { path: 'a', owner: null, anything: null }, { path: 'a', owner: null, anything: null }],
  ['not where the field is required', { path: null }, { path: null }],
  ['not an unknown field', { path: 'a', limt: null }, { path: 'a', limt: null }],
  ['not of what is no object', 'text', 'text'],
])('strips %s', (_, given, stripped) => {
  expect(stripNulls(given, SCHEMA)).toEqual(stripped);
});

it('gives back the same value where nothing is to strip, and changes none', () => {
  const same = { path: 'a', edits: [{ text: 't' }] };
  expect(stripNulls(same, SCHEMA)).toBe(same);
  const given = { path: 'a', limit: null };
  stripNulls(given, SCHEMA);
  expect(given).toEqual({ path: 'a', limit: null });
});

it('makes no prototype of a key', () => {
  const stripped = stripNulls(JSON.parse('{"__proto__":{"polluted":true},"limit":null}'), SCHEMA);
  expect(Object.keys(stripped as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(stripped)).toBe(Object.prototype);
});
