/** A JSON Schema as it goes over a wire. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Keywords whose value is data, not a schema: nothing in it may be left out. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value maps names of fields to schemas: a field may well be named `minimum`. */
const NAME_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** What zod states of every integer, and says nothing to a model. */
function isNoise(keyword: string, value: unknown): boolean {
  return (
    keyword === '$schema' ||
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

function slimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimValue);
  return typeof value === 'object' && value !== null ? slimSchema(value as JsonSchema) : value;
}

function slimKeyword(keyword: string, value: unknown): unknown {
  if (DATA_KEYWORDS.has(keyword)) return value;
  if (!NAME_KEYWORDS.has(keyword)) return slimValue(value);
  return Object.fromEntries(Object.entries(value as JsonSchema).map(([name, inner]) => [name, slimValue(inner)]));
}

/** A schema without what costs tokens and tells nothing: `$schema`, and bounds that are those of safe integers. */
export function slimSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !isNoise(keyword, value))
      .map(([keyword, value]) => [keyword, slimKeyword(keyword, value)]),
  );
}
