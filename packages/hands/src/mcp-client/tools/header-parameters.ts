import * as z from 'zod';
import { isSchema, visitSchemas, type JsonSchema } from '../../tool/json-schema.ts';

/** A property whose value is also sent in a header of the request, so that intermediaries can route by it. */
export interface HeaderParameter {
  readonly path: readonly string[];
  /** Header name without {@link PREFIX}. */
  readonly name: string;
}

/** The protocol's schema keyword, the types it may be used with, and the prefix of the header names. */
const KEYWORD = 'x-mcp-header';
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const PREFIX = 'Mcp-Param-';
/** Maximum number of headers per tool, and of characters per name. */
const MAX_HEADERS = 50;
const NAME = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u);
/** Maximum depth of searched properties. */
const MAX_LEVELS = 20;

function declared(schema: JsonSchema, path: readonly string[]): HeaderParameter[] | undefined {
  const found: HeaderParameter[] = [];
  if (Object.hasOwn(schema, KEYWORD)) {
    const name = NAME.safeParse(schema[KEYWORD]);
    if (!name.success || path.length === 0 || path.length > MAX_LEVELS || !TYPES.has(schema['type'])) return undefined;
    found.push({ path, name: name.data });
  }
  const { properties } = schema;
  if (!isSchema(properties)) return found;
  for (const [key, inner] of Object.entries(properties)) {
    if (!isSchema(inner)) continue;
    const below = declared(inner, [...path, key]);
    if (below === undefined) return undefined;
    found.push(...below);
  }
  return found;
}

/**
 * Returns the properties that a tool asks for in headers. Undefined if the declaration is invalid: clients over HTTP omit
 * such a tool.
 */
export function headerParameters(schema: JsonSchema): readonly HeaderParameter[] | undefined {
  const found = declared(schema, []);
  if (found === undefined || found.length > MAX_HEADERS) return undefined;
  let everywhere = 0;
  visitSchemas(schema, (one) => void (everywhere += Object.hasOwn(one, KEYWORD) ? 1 : 0));
  // Elsewhere than at a property, it does not refer to an argument.
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  return everywhere === found.length && names.size === found.length ? found : undefined;
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isSchema(value) && Object.hasOwn(value, key) ? value[key] : undefined), input);
}

function fieldValue(value: string): string {
  const isPlain = /^[\t\u0020-\u007E]+$/u.test(value) && value === value.trim() && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** Returns the headers of a call. Missing arguments get none. */
export function parameterHeaders(parameters: readonly HeaderParameter[], input: unknown): Record<string, string> {
  const headers = parameters.flatMap(({ path, name }): Array<[string, string]> => {
    const value = valueAt(input, path);
    const text = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
    return text === undefined ? [] : [[`${PREFIX}${name}`, fieldValue(text)]];
  });
  return Object.fromEntries(headers);
}
