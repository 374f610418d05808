import { toSynapseError, type CallError } from '@synapse/protocol';
import { boundedSchema } from './bounded-schema.ts';
import { inlineReferences } from './inline-references.ts';
import { isSchema, list, mapSubschemas, namedSchemas, requiredNames, type JsonSchema } from '../tool/json-schema.ts';
import { flattenRoot } from './root-object.ts';

/** The types that a keyword applies to; it does not constrain values of other types. */
const KEYWORD_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      [['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties'], ['object']],
      [['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'], ['array']],
      [['minLength', 'maxLength', 'pattern', 'format'], ['string']],
      [
        ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
        ['number', 'integer'],
      ],
    ] satisfies [string[], string[]][]
  ).flatMap(([keywords, types]) => keywords.map((keyword): [string, readonly string[]] => [keyword, types])),
);

/** A rewrite of a schema that more providers accept and that means the same, or permits slightly more. */
interface Repair {
  readonly rule: string;
  readonly apply: (schema: JsonSchema) => JsonSchema;
}

function without(schema: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Whether an `enum` value has a type. No value has an unknown type. */
const OF_TYPE: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', (value) => Array.isArray(value)],
  ['object', isSchema],
]);

/** Gives each type of a list the keywords and enum values that apply to it. */
function splitTypes(schema: JsonSchema, types: readonly string[]): JsonSchema {
  const outer = Object.entries(schema).filter(([keyword]) => keyword !== 'type' && keyword !== 'enum' && !KEYWORD_TYPES.has(keyword));
  const choices = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  const alternatives = types.flatMap((type) => {
    const own = Object.entries(schema).filter(([keyword]) => KEYWORD_TYPES.get(keyword)?.includes(type) === true);
    const values = choices?.filter((value) => OF_TYPE.get(type)?.(value) === true);
    if (values?.length === 0) return [];
    return [{ type, ...(values === undefined || type === 'null' ? {} : { enum: values }), ...Object.fromEntries(own) }];
  });
  // An enum that fits none of the types is a mistake in the schema: keep only the types.
  return { ...Object.fromEntries(outer), anyOf: alternatives.length > 0 ? alternatives : types.map((type) => ({ type })) };
}

/** The repairs, in the order in which they are applied. */
const REPAIRS: readonly Repair[] = [
  {
    rule: 'nullable is not JSON Schema: written as a type',
    apply: (schema) => {
      if (!Object.hasOwn(schema, 'nullable') || typeof schema['nullable'] !== 'boolean') return schema;
      const rest = without(schema, 'nullable');
      return schema['nullable'] && typeof rest['type'] === 'string' ? { ...rest, type: [rest['type'], 'null'] } : rest;
    },
  },
  {
    rule: 'a list of types is written as anyOf',
    apply: (schema) => {
      if (!Array.isArray(schema['type'])) return schema;
      const types = [...new Set(list(schema['type']).filter((type) => typeof type === 'string'))];
      const [only] = types;
      if (types.length <= 1) return only === undefined ? without(schema, 'type') : { ...schema, type: only };
      return Object.hasOwn(schema, 'anyOf') ? without(schema, 'type') : splitTypes(schema, types);
    },
  },
  {
    rule: 'oneOf is written as anyOf',
    apply: (schema) => {
      if (!Array.isArray(schema['oneOf'])) return schema;
      const rest = without(schema, 'oneOf', 'discriminator');
      return Object.hasOwn(schema, 'anyOf') ? rest : { ...rest, anyOf: schema['oneOf'] };
    },
  },
  {
    rule: 'an allOf of one is that one',
    apply: (schema) => {
      const [only, ...more] = list(schema['allOf']);
      if (!isSchema(only) || more.length > 0) return schema;
      const rest = without(schema, 'allOf');
      return Object.keys(only).some((keyword) => Object.hasOwn(rest, keyword)) ? schema : { ...only, ...rest };
    },
  },
  {
    rule: 'an enum of texts is of type string',
    apply: (schema) => {
      const values = list(schema['enum']);
      const texts = values.length > 0 && values.every((value) => typeof value === 'string');
      return texts && schema['type'] === undefined ? { type: 'string', ...schema } : schema;
    },
  },
  {
    rule: 'exclusive bounds are numbers since draft 6',
    apply: (schema) => {
      let fixed = schema;
      for (const [exclusive, bound] of [
        ['exclusiveMinimum', 'minimum'],
        ['exclusiveMaximum', 'maximum'],
      ] as const) {
        if (typeof schema[exclusive] !== 'boolean') continue;
        const rest = without(fixed, exclusive);
        fixed = schema[exclusive] && typeof schema[bound] === 'number' ? { ...without(rest, bound), [exclusive]: schema[bound] } : rest;
      }
      return fixed;
    },
  },
  {
    rule: 'a list of items by place is any of them',
    apply: (schema) => (Array.isArray(schema['items']) ? { ...without(schema, 'additionalItems'), items: { anyOf: schema['items'] } } : schema),
  },
  {
    rule: 'an array says what its items are',
    apply: (schema) => (schema['type'] === 'array' && !isSchema(schema['items']) ? { ...schema, items: {} } : schema),
  },
  {
    rule: 'an object has properties',
    apply: (schema) => {
      const isObject = schema['type'] === 'object' || (schema['type'] === undefined && isSchema(schema['properties']));
      if (!isObject || (schema['type'] === 'object' && isSchema(schema['properties']))) return schema;
      return { ...schema, type: 'object', properties: isSchema(schema['properties']) ? schema['properties'] : {} };
    },
  },
  {
    rule: 'required names properties only',
    apply: (schema) => {
      if (!Object.hasOwn(schema, 'required')) return schema;
      const names = new Set(namedSchemas(schema['properties']).map(([name]) => name));
      const required = [...new Set(requiredNames(schema))].filter((name) => names.has(name));
      if (Array.isArray(schema['required']) && required.length === schema['required'].length && required.length > 0) return schema;
      return required.length === 0 ? without(schema, 'required') : { ...schema, required };
    },
  },
];

/** Maximum number of passes. Nested allOfs take one pass per level, and no schema has more levels. */
const MAX_PASSES = 64;

/** A repair and the path where it was applied. */
export interface AppliedRepair {
  readonly field: string;
  readonly rule: string;
}

/** A schema that providers accept, or the reason why the schema cannot be used. */
export type RepairedSchema =
  | { readonly ok: true; readonly schema: JsonSchema; readonly repairs: readonly AppliedRepair[] }
  | { readonly ok: false; readonly error: Pick<CallError, 'message' | 'hint'> };

/**
 * Rewrites an untrusted schema, for example of an MCP server, so that providers accept it: references are
 * inlined, `oneOf` and lists of types become `anyOf`, the root is an object with properties, arrays have
 * items. The repaired schema may permit more than the original; the code that runs the tool must reject
 * the rest. Never throws and never fetches anything.
 */
export function repairSchema(schema: unknown): RepairedSchema {
  const repairs: AppliedRepair[] = [];
  const repair = (given: JsonSchema, field: string): JsonSchema => {
    let fixed = given;
    // A repair may expose content that needs another one: an allOf with one entry can contain anything.
    for (let before: JsonSchema | undefined, pass = 0; before !== fixed && pass < MAX_PASSES; pass += 1) {
      before = fixed;
      for (const { rule, apply } of REPAIRS) {
        const next = apply(fixed);
        if (next !== fixed) repairs.push({ field, rule });
        fixed = next;
      }
    }
    return mapSubschemas(fixed, (inner, place) => repair(inner, field === '' ? place : `${field}.${place}`));
  };
  try {
    const bounded = boundedSchema(schema);
    const plain = inlineReferences(bounded);
    if (Object.hasOwn(bounded, '$defs') || Object.hasOwn(bounded, 'definitions')) repairs.push({ field: '', rule: 'references are written out' });
    const repaired = repair(plain, '');
    const root = flattenRoot(repaired);
    if (root !== repaired) repairs.push({ field: '', rule: 'the root is one object' });
    return { ok: true, schema: root, repairs };
  } catch (error) {
    const { message, hint } = toSynapseError(error);
    return { ok: false, error: hint === undefined ? { message } : { message, hint } };
  }
}
