import { SynapseError, toSynapseError } from '@synapse/protocol';
import { boundedSchema } from './bounded-schema.ts';
import { isSchema, list, namedSchemas, requiredNames, visitSchemas, type JsonSchema } from '../tool/json-schema.ts';
import { PROVIDER_RULES, PROVIDERS, type Provider, type ProviderRules } from './provider-rules.ts';
import { ROOT_UNIONS } from './root-object.ts';
import { excess } from './schema-limits.ts';

/** An untrusted tool definition. */
export interface ForeignTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/** A reason why a provider would reject a request. */
export interface ToolProblem {
  readonly tool: string;
  /** The path, such as `inputSchema.properties.path`; `name` for the tool's name; empty for the list as a whole. */
  readonly field: string;
  /** What the provider requires. */
  readonly rule: string;
  /** How to fix it. */
  readonly fix: string;
}

type Found = Pick<ToolProblem, 'rule' | 'fix'>;

/** Checks one schema. `isRoot` is true for the root. */
type SchemaCheck = (schema: JsonSchema, rules: ProviderRules, isRoot: boolean) => Found | readonly Found[] | undefined;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const REPAIR = 'repairSchema does it';

/** The checks for every provider, then the checks for some. */
const CHECKS: readonly SchemaCheck[] = [
  ({ type }) =>
    [type].flat().every((each) => each === undefined || TYPES.has(each))
      ? undefined
      : { rule: 'type is one of JSON Schema', fix: `use ${[...TYPES].join(', ')}` },
  ({ $ref }) =>
    $ref === undefined || (typeof $ref === 'string' && $ref.startsWith('#'))
      ? undefined
      : { rule: 'a reference stays in its document', fix: 'write the schema out; nothing is fetched' },
  ({ enum: values }) =>
    values === undefined || list(values).length > 0 ? undefined : { rule: 'enum is a list with values', fix: 'leave enum away, or give values' },
  (schema) => {
    const known = new Set(namedSchemas(schema['properties']).map(([name]) => name));
    const unknown = requiredNames(schema).filter((name) => !known.has(name));
    if (unknown.length === 0 || !Object.hasOwn(schema, 'properties')) return undefined;
    return {
      rule: `required names properties only, not ${unknown.join(', ').slice(0, 100)}`,
      fix: `name them in properties, or leave them away; ${REPAIR}`,
    };
  },
  ({ type }, _, isRoot) =>
    isRoot && type !== 'object' ? { rule: 'the root is of type object', fix: `put the value into a field; ${REPAIR}` } : undefined,
  (schema, { rootUnions, label }, isRoot) => {
    const found = ROOT_UNIONS.filter((keyword) => Object.hasOwn(schema, keyword));
    if (!isRoot || rootUnions || found.length === 0) return undefined;
    return { rule: `${label} takes no ${found.join(', ')} at the root`, fix: `make one object with all fields; ${REPAIR}` };
  },
  ({ $ref }, { references, label }) =>
    $ref === undefined || references ? undefined : { rule: `${label} takes no $ref`, fix: `write the schema out; ${REPAIR}` },
  ({ type }, { typeLists, label }) =>
    Array.isArray(type) && !typeLists ? { rule: `${label} takes one type, not a list`, fix: `use anyOf; ${REPAIR}` } : undefined,
  (schema, { needsProperties, label }) =>
    needsProperties && schema['type'] === 'object' && !isSchema(schema['properties'])
      ? { rule: `${label} wants properties in every object`, fix: `add properties: {}; ${REPAIR}` }
      : undefined,
  (schema, { needsItems, label }) =>
    needsItems && [schema['type']].flat().includes('array') && !isSchema(schema['items'])
      ? { rule: `${label} wants items in every array`, fix: `add items; ${REPAIR}` }
      : undefined,
  ({ enum: values, type }, { textEnums, label }) =>
    textEnums && values !== undefined && (type !== 'string' || list(values).some((value) => typeof value !== 'string'))
      ? { rule: `${label} takes enum for texts only`, fix: 'use type string, or tell the choices in the description' }
      : undefined,
  (schema, { keywords, label }) =>
    Object.keys(schema)
      .filter((keyword) => keywords?.has(keyword) === false)
      .map((keyword) => ({ rule: `${label} does not take ${keyword.slice(0, 40)}`, fix: 'tell it in the description' })),
  ({ format }, { formats, label }) =>
    format === undefined || formats === undefined || (typeof format === 'string' && formats.has(format))
      ? undefined
      : { rule: `${label} takes the formats ${[...formats].join(', ')}`, fix: 'tell it in the description' },
  (schema, { fieldName, fieldNameRule }) =>
    namedSchemas(schema['properties'])
      .filter(([name]) => fieldName?.test(name) === false)
      .map(([name]) => ({ rule: `a field's name has ${fieldNameRule ?? ''}`, fix: `rename ${JSON.stringify(name.slice(0, 80))}` })),
  (schema, { strict, label }) => {
    if (!strict || ![schema['type']].flat().includes('object')) return undefined;
    const optional = namedSchemas(schema['properties']).filter(([name]) => !requiredNames(schema).includes(name));
    return [
      ...(schema['additionalProperties'] === false
        ? []
        : [{ rule: `${label} wants additionalProperties: false`, fix: 'close the object; for free keys use a list of key and value' }]),
      ...optional.map(([name]) => ({ rule: `${label} wants every field required`, fix: `add ${name.slice(0, 80)} to required and let it be null` })),
    ];
  },
  (schema, { strict, label }) =>
    strict && !['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => Object.hasOwn(schema, keyword))
      ? { rule: `${label} wants a type`, fix: 'say what the value is' }
      : undefined,
];

function checkSchema(given: unknown, rules: ProviderRules): readonly (Found & { field: string })[] {
  let schema: JsonSchema;
  try {
    schema = boundedSchema(given);
  } catch (error) {
    const { message, hint } = toSynapseError(error);
    return [{ field: '', rule: message, fix: hint ?? '' }];
  }
  const found: (Found & { field: string })[] = excess(schema, rules).map((rule) => ({ field: '', rule, fix: 'make it smaller, or two tools of it' }));
  visitSchemas(schema, (inner, field) => {
    for (const check of CHECKS) {
      for (const problem of [check(inner, rules, field === '') ?? []].flat()) found.push({ field, ...problem });
    }
  });
  return found;
}

/**
 * Reports why a provider would reject tools in their current form. Works for any tools, such as a user's
 * or an MCP server's. Pure. The work for a hostile schema is bounded, and nothing is fetched.
 *
 * @throws SynapseError `invalid_arguments` for an unknown provider, with the list of providers
 * @example
 * for (const { tool, field, rule, fix } of checkTools('gemini', tools)) console.log(`${tool} ${field}: ${rule}; ${fix}`);
 */
export function checkTools(provider: Provider, tools: readonly ForeignTool[]): readonly ToolProblem[] {
  if (!PROVIDERS.includes(provider)) {
    throw new SynapseError('invalid_arguments', `Unknown provider: ${JSON.stringify(provider)}`, {
      hint: `The providers are: ${PROVIDERS.join(', ')}.`,
    });
  }
  const rules = PROVIDER_RULES[provider];
  const seen = new Set<string>();
  const problems: ToolProblem[] = [];
  if (rules.maxTools !== undefined && tools.length > rules.maxTools) {
    problems.push({ tool: '', field: '', rule: `${rules.label} takes ${rules.maxTools} tools, not ${tools.length}`, fix: 'offer fewer' });
  }
  for (const { name: given, inputSchema } of tools) {
    // Untrusted definitions may break their type.
    const name = typeof given === 'string' ? given : '';
    const tool = name.slice(0, 128);
    if (!rules.name.test(name)) problems.push({ tool, field: 'name', rule: `a name has ${rules.nameRule}`, fix: 'rename it; nameMap does it' });
    if (seen.has(name)) problems.push({ tool, field: 'name', rule: 'tool names must be unique', fix: 'rename one of them' });
    seen.add(name);
    for (const { field, rule, fix } of checkSchema(inputSchema, rules)) {
      problems.push({ tool, field: field === '' ? 'inputSchema' : `inputSchema.${field}`, rule, fix });
    }
  }
  return problems;
}
