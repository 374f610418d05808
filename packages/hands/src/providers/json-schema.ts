/** A JSON Schema as it goes over a wire. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Keywords that hold schemas, and how; the value of any other, such as `default`, is data, and nothing in
 * it may be changed. A map, not an object: a hostile schema may have a keyword named `constructor`.
 */
const SUBSCHEMAS: ReadonlyMap<string, 'schema' | 'list' | 'names'> = new Map([
  ['properties', 'names'],
  ['patternProperties', 'names'],
  ['$defs', 'names'],
  ['definitions', 'names'],
  ['dependentSchemas', 'names'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['allOf', 'list'],
  ['prefixItems', 'list'],
  ['items', 'schema'],
  ['additionalItems', 'schema'],
  ['additionalProperties', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['contains', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
]);

/** Whether a value is a schema that says something; `true` and `false` are schemas without keywords. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schemas that a keyword maps names to; none where it does not. */
export function namedSchemas(value: unknown): readonly (readonly [name: string, schema: unknown])[] {
  return isSchema(value) ? Object.entries(value) : [];
}

/** The value of a keyword where it is a list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The names that a schema of an object demands. */
export function requiredNames(schema: JsonSchema): readonly string[] {
  return list(schema['required']).filter((name) => typeof name === 'string');
}

/** The value of a keyword with each schema that it holds directly replaced. */
export function mapKeyword(keyword: string, value: unknown, change: (schema: JsonSchema, field: string) => unknown): unknown {
  const one = (inner: unknown, field: string): unknown => (isSchema(inner) ? change(inner, field) : inner);
  const holds = SUBSCHEMAS.get(keyword);
  if (holds === 'names') {
    if (!isSchema(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner, `${keyword}.${name}`)]));
  }
  if (holds === undefined) return value;
  return Array.isArray(value) ? value.map((inner, index) => one(inner, `${keyword}[${index}]`)) : one(value, keyword);
}

/** A schema with each schema directly in it replaced; the same one where it holds none. */
export function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema, field: string) => unknown): JsonSchema {
  if (!Object.keys(schema).some((keyword) => SUBSCHEMAS.has(keyword))) return schema;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]));
}

/** Visits a schema and all in it, the outer ones first; `field` is the place, such as `properties.edits.items`. */
export function visitSchemas(schema: JsonSchema, visit: (schema: JsonSchema, field: string, depth: number) => void, field = '', depth = 0): void {
  visit(schema, field, depth);
  for (const [keyword, value] of Object.entries(schema)) {
    mapKeyword(keyword, value, (inner, place) => visitSchemas(inner, visit, field === '' ? place : `${field}.${place}`, depth + 1));
  }
}
