import { describeLeftOut, isConstraint } from './constraint-words.ts';
import { isSchema, list, mapKeyword, namedSchemas, requiredNames, type JsonSchema } from './json-schema.ts';
import type { ProviderRules } from './provider-rules.ts';
import { excess } from './schema-limits.ts';

/** Whether a schema says what it takes; `{}` takes anything, which a strict one cannot. */
function statesType(schema: JsonSchema): boolean {
  return ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => Object.hasOwn(schema, keyword));
}

function isKept(keyword: string, value: unknown, schema: JsonSchema, rules: ProviderRules): boolean {
  if (rules.keywords?.has(keyword) === false) return false;
  if (keyword === 'format') return rules.formats === undefined || (typeof value === 'string' && rules.formats.has(value));
  if (keyword === 'enum') return !rules.textEnums || (schema['type'] === 'string' && list(value).every((each) => typeof each === 'string'));
  return true;
}

/** A schema that also takes null, which is how a strict schema says that a field may be left out. */
function nullable(schema: JsonSchema): JsonSchema {
  const { type, anyOf, description, ...rest } = schema;
  const told = description === undefined ? {} : { description };
  if (Array.isArray(anyOf)) {
    const takes = anyOf.some((each) => isSchema(each) && each['type'] === 'null');
    return takes ? schema : { ...told, anyOf: [...anyOf, { type: 'null' }], ...rest };
  }
  if (typeof type !== 'string' || Object.hasOwn(rest, 'const'))
    return { ...told, anyOf: [{ ...rest, ...(type === undefined ? {} : { type }) }, { type: 'null' }] };
  if (type === 'null') return schema;
  return { ...told, type: [type, 'null'], ...rest, ...(Array.isArray(rest['enum']) ? { enum: [...rest['enum'], null] } : {}) };
}

/** Writes a constant as the list of one value that more providers know. */
function withoutConst(schema: JsonSchema): JsonSchema {
  const { const: only, ...rest } = schema;
  return typeof only === 'string' ? { type: 'string', ...rest, enum: [only] } : schema;
}

/** Whether an object takes fields that its schema does not name. Without a word about them one with fields means these. */
function isOpen(schema: JsonSchema, isRoot: boolean): boolean {
  const others = schema['additionalProperties'];
  return others === undefined ? !isRoot && namedSchemas(schema['properties']).length === 0 : others !== false;
}

/**
 * Writes a repaired schema for a provider: keywords it does not take move into the description, for a
 * strict one every field is required and an optional one takes null. Nothing is given where the
 * provider's rules cannot say what the schema says, such as an object with any fields for a strict one.
 */
export function projectSchema(given: JsonSchema, rules: ProviderRules): JsonSchema | undefined {
  let possible = true;
  const close = (source: JsonSchema, projected: JsonSchema): JsonSchema => {
    if (isOpen(source, source === given)) possible = false;
    const required = new Set(requiredNames(source));
    const fields = namedSchemas(projected['properties']).map(([name, schema]) => [
      name,
      required.has(name) || !isSchema(schema) ? schema : nullable(schema),
    ]);
    return { ...projected, properties: Object.fromEntries(fields), required: fields.map(([name]) => name), additionalProperties: false };
  };
  const project = (source: JsonSchema): JsonSchema => {
    const schema = rules.keywords?.has('const') === false ? withoutConst(source) : source;
    const kept: [string, unknown][] = [];
    const leftOut: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (isKept(keyword, value, schema, rules)) kept.push([keyword, mapKeyword(keyword, value, project)]);
      else leftOut.push([keyword, value]);
    }
    const projected: Record<string, unknown> = Object.fromEntries(kept);
    const description = describeLeftOut(schema['description'], Object.fromEntries(leftOut));
    if (description !== undefined) projected['description'] = description;
    if (!rules.strict) return projected;
    if (!statesType(schema) || leftOut.some(([keyword]) => !isConstraint(keyword))) possible = false;
    return schema['type'] === 'object' ? close(source, projected) : projected;
  };
  const projected = project(given);
  return possible && excess(projected, rules).length === 0 ? projected : undefined;
}
