import * as z from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { slimSchema } from './slim-schema.ts';
import { zodSchema } from './zod-schema.ts';

type InputSchema = JsonSchema & { readonly type: 'object' };

/** Schemas that were written here, so that there is nothing in them to repair. */
const tidy = new WeakSet<JsonSchema>();

/**
 * Writes an input as JSON Schema: what may be sent, so that a field with a default is optional.
 *
 * @throws for what JSON Schema has no words for
 */
export function inputSchemaOf(input: z.ZodObject): InputSchema {
  const written = zodSchema(input);
  const schema: InputSchema = { ...(written ?? slimSchema(z.toJSONSchema(input, { io: 'input' }))), type: 'object' };
  if (written !== undefined) tidy.add(schema);
  return schema;
}

/** Whether a schema is known to keep to what every provider takes, in form. */
export function isTidy(schema: JsonSchema): boolean {
  return tidy.has(schema);
}
