import { expect, it } from 'vitest';
import { toolCatalogue } from './tool-catalogue.ts';
import * as z from 'zod';
import { ToolRegistry } from '../runtime/registry.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { checkTools } from './check-tools.ts';
import { DIALECTS } from '../dialects/find-dialect.ts';
import { describeTools } from '../dialects/describe-tools.ts';
import { PROVIDER_RULES, PROVIDERS, type Provider } from './provider-rules.ts';
import { PROBE } from '../testing/probe-tool.ts';

const root = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest });
const GOOD = root({ a: { type: 'string' } }, { required: ['a'], additionalProperties: false });

it.each<[Provider, string, unknown, string, string]>([
  ['openai', 'no properties', { type: 'object' }, 'inputSchema', 'wants properties'],
  ['openai', 'no items', root({ a: { type: 'array' } }), 'inputSchema.properties.a', 'wants items'],
  ['openai', 'a union at the root', { ...root({}), anyOf: [] }, 'inputSchema', 'no anyOf at the root'],
  ['openai', 'a list at the root', { type: 'array', items: {} }, 'inputSchema', 'of type object'],
  ['openai', 'a wrong type', root({ a: { type: 'text' } }), 'inputSchema.properties.a', 'type is one of'],
  ['openai-strict', 'an optional field', root({ a: { type: 'string' } }, { additionalProperties: false }), 'inputSchema', 'every field required'],
  ['openai-strict', 'an open object', root({}), 'inputSchema', 'additionalProperties: false'],
  [
    'openai-strict',
    'oneOf',
    root({ a: { oneOf: [] } }, { required: ['a'], additionalProperties: false }),
    'inputSchema.properties.a',
    'does not take oneOf',
  ],
  [
    'openai-strict',
    'a default',
    root({ a: { type: 'string', default: '' } }, { required: ['a'], additionalProperties: false }),
    'inputSchema.properties.a',
    'does not take default',
  ],
  [
    'openai-responses',
    'a format',
    root({ a: { type: 'string', format: 'uri' } }, { required: ['a'], additionalProperties: false }),
    'inputSchema.properties.a',
    'takes the formats',
  ],
  ['anthropic', 'a union at the root', { ...root({}), oneOf: [] }, 'inputSchema', 'no oneOf at the root'],
  ['anthropic', "a field's name", root({ 'a b': {} }), 'inputSchema', "a field's name"],
  ['gemini', 'a list of types', root({ a: { type: ['string', 'null'] } }), 'inputSchema.properties.a', 'not a list'],
  ['gemini', 'a reference', { ...root({ a: { $ref: '#/$defs/A' } }), $defs: { A: {} } }, 'inputSchema.properties.a', 'takes no $ref'],
  ['gemini', 'exclusive bounds', root({ a: { type: 'integer', exclusiveMinimum: 0 } }), 'inputSchema.properties.a', 'does not take exclusiveMinimum'],
  ['gemini', 'numbers to choose from', root({ a: { type: 'integer', enum: [1] } }), 'inputSchema.properties.a', 'enum for texts only'],
  ['gemini', 'required of what is not there', root({ a: {} }, { required: ['b'] }), 'inputSchema', 'required names properties only, not b'],
  ['mcp', 'another document', root({ a: { $ref: 'http://x/y' } }), 'inputSchema.properties.a', 'stays in its document'],
  ['mcp', 'no schema', undefined, 'inputSchema', 'is no object'],
])('%s: %s', (provider, _, inputSchema, field, rule) => {
  const problems = checkTools(provider, [{ name: 'probe', inputSchema }]);
  expect(problems).toContainEqual({ tool: 'probe', field, rule: expect.stringContaining(rule), fix: expect.stringMatching(/./u) });
});

it.each(PROVIDERS)('%s: names, and the same one twice', (provider) => {
  const tools = ['a b', 'x'.repeat(129), '', 'same', 'same'].map((name) => ({ name, inputSchema: GOOD }));
  const named = checkTools(provider, tools).map(({ tool, field }) => `${tool.slice(0, 4)} ${field}`);
  expect(named).toEqual(['a b name', 'xxxx name', ' name', 'same name']);
});

it('OpenAI: more tools than a request takes', () => {
  const tools = Array.from({ length: 129 }, (_, index) => ({ name: `t${index}`, inputSchema: GOOD }));
  expect(checkTools('openai', tools)).toMatchObject([{ tool: '', rule: 'OpenAI takes 128 tools, not 129' }]);
});

const probe = (input: z.ZodObject): AnyTool => defineTool({ ...PROBE, input, execute: async () => ({ data: {}, content: '' }) });

it.each(PROVIDERS)('every tool of ours is written so that %s takes it', (provider) => {
  expect(new ToolRegistry(CANONICAL_TOOLS).validate(provider)).toEqual([]);
});

/** Claude Code's Grep has fields such as `-A`, which Gemini's documentation does not allow for; a dialect keeps its names. */
const REFUSED: ReadonlySet<string> = new Set(['claude-code gemini']);

it.each(DIALECTS.flatMap((dialect) => PROVIDERS.map((provider) => [dialect.name, provider, dialect] as const)))(
  'every tool of the dialect %s is written so that %s takes it',
  (name, provider, dialect) => {
    const written = toolCatalogue(describeTools(dialect, CANONICAL_TOOLS)).wireTools(provider);
    // What cannot be strict is sent without, and so has other rules.
    const strict = written.filter((tool) => tool.strict || !PROVIDER_RULES[provider].strict);
    const loose = written.filter((tool) => !strict.includes(tool));
    const problems = [...checkTools(provider, strict), ...checkTools('openai', loose)].map(({ tool, rule }) => `${tool}: ${rule.slice(0, 14)}`);
    expect([...new Set(problems)]).toEqual(REFUSED.has(`${name} ${provider}`) ? ["Grep: a field's name"] : []);
  },
);

it.each<[string, z.ZodObject, Provider, string]>([
  ['a date', z.strictObject({ when: z.date() }), 'openai', 'cannot be written as JSON Schema'],
  ['free keys', z.strictObject({ labels: z.record(z.string(), z.string()) }), 'openai-strict', 'additionalProperties: false'],
  ['a name', z.strictObject({ 'a b': z.string() }), 'gemini', "a field's name"],
  [
    'a schema in itself',
    z.strictObject({
      get inner() {
        return z.lazy(() => tree).optional();
      },
    }),
    'anthropic',
    'contains itself',
  ],
])('a registry reports %s', (_, input, provider, rule) => {
  expect(new ToolRegistry([probe(input)]).validate(provider)).toContainEqual({
    tool: 'probe',
    field: expect.stringMatching(/^inputSchema/u),
    rule: expect.stringContaining(rule),
    fix: expect.stringMatching(/./u),
  });
});

const tree = z.strictObject({
  get children() {
    return z.array(tree);
  },
});

it('tells the providers where a name is none', () => {
  expect(() => checkTools('constructor' as 'mcp', [])).toThrow(
    expect.objectContaining({
      code: 'invalid_arguments',
      hint: 'The providers are: openai, openai-strict, openai-responses, anthropic, gemini, mcp.',
    }),
  );
});
