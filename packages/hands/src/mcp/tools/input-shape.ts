import * as z from 'zod';
import { isSchema, requiredNames, type JsonSchema } from '../../providers/json-schema.ts';

/** Choices of a field that are worth naming in an error. */
const MAX_CHOICES = 50;

/** What a value of a JSON Schema type is. */
const TYPES: Readonly<Record<string, () => z.ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  array: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};

function field(schema: unknown): z.ZodType {
  if (!isSchema(schema)) return z.unknown();
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_CHOICES && choices.every((choice) => typeof choice === 'string')) {
    return z.enum(choices as [string, ...string[]]);
  }
  const make = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  return make?.() ?? z.unknown();
}

/**
 * Checks of a stranger's schema what a model gets wrong: fields that are missing, unknown or of another type.
 * The rest is for the server, which knows it best; a pattern of its own is never run here, since it could take for ever.
 */
export function inputShape(schema: JsonSchema): z.ZodObject {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = new Set(requiredNames(schema));
  const shape = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => {
      const checked = field(inner);
      return [name, required.has(name) ? checked : checked.optional()];
    }),
  );
  return schema['additionalProperties'] === false ? z.strictObject(shape) : z.looseObject(shape);
}
