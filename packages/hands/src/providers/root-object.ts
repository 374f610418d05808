import { isSchema, list, requiredNames, type JsonSchema } from '../tool/json-schema.ts';

/** Keywords that no model provider accepts at the root of a tool's input. */
export const ROOT_UNIONS: readonly string[] = ['anyOf', 'oneOf', 'allOf'];

const FIELD_KEYWORDS: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'additionalProperties', 'title', 'description']);

function properties(schema: JsonSchema): JsonSchema {
  return isSchema(schema['properties']) ? schema['properties'] : {};
}

/** Merges the schemas that two alternatives have for the same field. */
function either(before: unknown, now: unknown): unknown {
  return JSON.stringify(before) === JSON.stringify(now) ? before : { anyOf: [before, now] };
}

/** Adds the fields of alternatives. */
function addFields(fields: Map<string, unknown>, alternatives: readonly JsonSchema[]): void {
  for (const alternative of alternatives)
    for (const [name, schema] of Object.entries(properties(alternative)))
      fields.set(name, fields.has(name) ? either(fields.get(name), schema) : schema);
}

/**
 * Turns a root that is a union into one object with the fields of all alternatives. A field is required if every alternative (for
 * `allOf`, any entry) requires it. The object permits more than the union; the code that runs the tool rejects the rest.
 */
export function flattenRoot(root: JsonSchema): JsonSchema {
  const unions = ROOT_UNIONS.filter((keyword) => Array.isArray(root[keyword]));
  if (unions.length === 0 && root['type'] === 'object' && isSchema(root['properties'])) return root;
  const fields = new Map<string, unknown>(Object.entries(properties(root)));
  const required = new Set(requiredNames(root));
  for (const keyword of unions) {
    const alternatives = list(root[keyword]).filter(isSchema);
    addFields(fields, alternatives);
    const demanded = alternatives.map((alternative) => new Set(requiredNames(alternative)));
    for (const name of demanded.flatMap((names) => [...names])) {
      const bySome = keyword === 'allOf' ? demanded.some((names) => names.has(name)) : demanded.every((names) => names.has(name));
      if (bySome && fields.has(name)) required.add(name);
    }
  }
  const rest = Object.entries(root).filter(([keyword]) => !FIELD_KEYWORDS.has(keyword) && !ROOT_UNIONS.includes(keyword));
  const closed = [root, ...unions.flatMap((keyword) => list(root[keyword]).filter(isSchema))].some((each) => each['additionalProperties'] === false);
  return {
    ...(typeof root['title'] === 'string' ? { title: root['title'] } : {}),
    ...(typeof root['description'] === 'string' ? { description: root['description'] } : {}),
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...(closed ? { additionalProperties: false } : {}),
    ...Object.fromEntries(rest),
  };
}
