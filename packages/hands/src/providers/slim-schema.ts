import { mapSubschemas, type JsonSchema } from './json-schema.ts';

/** What zod states of every integer, and says nothing to a model. */
function isNoise(keyword: string, value: unknown): boolean {
  return (
    keyword === '$schema' ||
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

/** A schema without what costs tokens and tells nothing: `$schema`, and bounds that are those of safe integers. */
export function slimSchema(schema: JsonSchema): JsonSchema {
  const telling = Object.entries(schema).filter(([keyword, value]) => !isNoise(keyword, value));
  return mapSubschemas(Object.fromEntries(telling), slimSchema);
}
