import { SynapseError } from '@synapse/protocol';
import { isSchema, type JsonSchema } from '../tool/json-schema.ts';

/** Maximum nesting depth of values. The deepest schema seen in public MCP servers has about 20 levels. */
const MAX_DEPTH = 64;
/** Maximum number of values in a schema, also after references are inlined: a few names can expand to millions of values. */
export const MAX_SCHEMA_VALUES = 20_000;
/** Maximum number of characters in all names and texts. A larger schema alone would fill a model's context. */
const MAX_CHARACTERS = 512 * 1024;

/** Throws the error for a schema that cannot be used. */
export function refuseSchema(field: string, problem: string, hint: string): never {
  throw new SynapseError('invalid_arguments', `${field === '' ? 'The schema' : field.slice(0, 200)} ${problem}.`, { hint });
}

/**
 * Copies an untrusted schema into plain data of bounded size.
 *
 * @throws SynapseError `invalid_arguments` for a schema that is too large, too deep, or not JSON
 */
export function boundedSchema(schema: unknown): JsonSchema {
  let values = 0;
  let characters = 0;
  const text = (value: string): string => {
    characters += value.length;
    if (characters > MAX_CHARACTERS) refuseSchema('', `has more than ${MAX_CHARACTERS.toLocaleString('en')} characters`, 'Send a smaller one.');
    return value;
  };
  const copy = (value: unknown, depth: number, field: string): unknown => {
    values += 1;
    if (values > MAX_SCHEMA_VALUES) refuseSchema('', `has more than ${MAX_SCHEMA_VALUES.toLocaleString('en')} values`, 'Send a smaller one.');
    if (depth > MAX_DEPTH) refuseSchema('', `is nested more than ${MAX_DEPTH} levels deep`, 'Send a flatter one.');
    if (typeof value === 'string') return text(value);
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value;
    if (Array.isArray(value)) return value.map((item, index) => copy(item, depth + 1, `${field}[${index}]`));
    if (typeof value !== 'object') return refuseSchema(field, `is a ${typeof value}`, 'Only JSON values can be sent.');
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .map(([key, inner]) => {
          const place = field === '' ? key : `${field}.${key}`;
          if (key === '__proto__') refuseSchema(place, 'would set a prototype', 'Give the field another name.');
          return [text(key), copy(inner, depth + 1, place)];
        }),
    );
  };
  if (!isSchema(schema)) return refuseSchema('', 'is no object', 'Give a JSON Schema of type object.');
  return copy(schema, 0, '') as JsonSchema;
}
