/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Keywords that contain schemas, and in which form. The value of any other keyword, such as `default`, is data and
 * must not be changed. A map, not an object: a hostile schema may have a keyword named `constructor`.
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

/** Whether a value is a schema with keywords; `true` and `false` are schemas without keywords. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the named schemas of a keyword; empty if the value is not an object. */
export function namedSchemas(value: unknown): readonly (readonly [name: string, schema: unknown])[] {
  return isSchema(value) ? Object.entries(value) : [];
}

/** Returns the value of a keyword if it is a list; otherwise an empty list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the required names of an object schema. */
export function requiredNames(schema: JsonSchema): readonly string[] {
  return list(schema['required']).filter((name) => typeof name === 'string');
}

/** Returns the value of a keyword, with each directly contained schema replaced. */
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

/** Returns a schema with each directly contained schema replaced; the same object if it has no keyword with schemas. */
export function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema, field: string) => unknown): JsonSchema {
  if (!Object.keys(schema).some((keyword) => SUBSCHEMAS.has(keyword))) return schema;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]));
}

/** Visits a schema and all schemas in it, outer ones first; `field` is the path, such as `properties.edits.items`. */
export function visitSchemas(schema: JsonSchema, visit: (schema: JsonSchema, field: string, depth: number) => void, field = '', depth = 0): void {
  visit(schema, field, depth);
  for (const [keyword, value] of Object.entries(schema)) {
    mapKeyword(keyword, value, (inner, place) => visitSchemas(inner, visit, field === '' ? place : `${field}.${place}`, depth + 1));
  }
}
