import { isSchema, list, requiredNames } from './json-schema.ts';

function takesNull(schema: unknown): boolean {
  if (!isSchema(schema)) return schema === true;
  if ([schema['type']].flat().includes('null') || list(schema['enum']).includes(null) || schema['const'] === null) return true;
  if (list(schema['anyOf']).some(takesNull) || list(schema['oneOf']).some(takesNull)) return true;
  return !['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => Object.hasOwn(schema, keyword));
}

/**
 * Removes optional fields that are null if the schema does not allow null: strict providers make models
 * send null for each field that they leave out. Does not change the given value.
 */
export function stripNulls(value: unknown, schema: unknown): unknown {
  if (!isSchema(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isSchema(items)) return value;
    const stripped = value.map((item: unknown) => stripNulls(item, items));
    return stripped.some((item, index) => item !== value[index]) ? stripped : value;
  }
  const { properties } = schema;
  if (!isSchema(value) || !isSchema(properties)) return value;
  const required = requiredNames(schema);
  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (inner === null && field !== undefined && !required.includes(name) && !takesNull(field)) {
      changed = true;
      continue;
    }
    const stripped = stripNulls(inner, field);
    changed ||= stripped !== inner;
    kept.push([name, stripped]);
  }
  return changed ? Object.fromEntries(kept) : value;
}
