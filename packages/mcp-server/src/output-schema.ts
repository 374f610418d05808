import type { AnyTool } from '@synapse/hands';
import { type JsonSchema, mapSubschemas } from '@synapse/hands/tools';
import * as z from 'zod';

/** The schema of a structured value. The protocol requires an object at the root. */
export type OutputSchema = JsonSchema & { readonly type: 'object' };

/**
 * Keywords that say nothing that a reader of values needs. Clients may put schemas into the context of their model. Without
 * `additionalProperties: false`, a later version can add fields.
 */
const OMITTED: ReadonlySet<string> = new Set([
  '$schema',
  'additionalProperties',
  'description',
  'minimum',
  'maximum',
  'default',
  'pattern',
  'format',
]);

const NOTES = { notes: { type: 'string' } };

function compact(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf = anyOf, ...rest } = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OMITTED.has(keyword)));
  return mapSubschemas({ ...rest, ...(oneOf === undefined ? {} : { anyOf: oneOf }) }, compact);
}

const isObject = ({ type }: JsonSchema): boolean => type === 'object';

/** Undefined if the tool's values are not always objects. */
function written(tool: AnyTool): OutputSchema | undefined {
  const schema = compact(z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'any' }));
  const kinds = Array.isArray(schema['anyOf']) ? z.array(z.record(z.string(), z.unknown())).parse(schema['anyOf']) : [schema];
  if (!kinds.every(isObject)) return undefined;
  const properties = z.record(z.string(), z.unknown()).optional().parse(schema['properties']);
  return { ...schema, type: 'object', properties: { ...properties, ...NOTES } };
}

/** A tool does not change. */
const known = new WeakMap<AnyTool, { readonly schema: OutputSchema | undefined }>();

/** The schema of the `structuredContent` of a tool's results: its data, and the notes about the call. Undefined if it has none. */
export function outputSchemaOf(tool: AnyTool): OutputSchema | undefined {
  const before = known.get(tool);
  if (before !== undefined) return before.schema;
  const schema = written(tool);
  known.set(tool, { schema });
  return schema;
}
