import * as z from 'zod';
import { isSchema, type JsonSchema, list, namedSchemas, requiredNames } from './json-schema.ts';
import type { AnyTool } from './tool.ts';

/** Maximum depth of the types of one schema, and their number. That of a server may be of any depth, and contain itself in several places. */
const MAX_DEPTH = 10;
const MAX_TYPES = 1_000;
const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** A schema that is named elsewhere in the same one: `#/$defs/User`. */
function referred(reference: unknown, root: JsonSchema): unknown {
  const { keyword, name } = /^#\/(?<keyword>\$defs|definitions)\/(?<name>[^/]+)$/u.exec(String(reference))?.groups ?? {};
  const named = keyword === undefined ? undefined : namedSchemas(root[keyword]).find(([one]) => one === name);
  return named?.[1];
}

/** Writes a schema as types. */
class Types {
  readonly #root: JsonSchema;
  #left = MAX_TYPES;

  /** @param root the schema in which references are looked up */
  constructor(root: JsonSchema) {
    this.#root = root;
  }

  of(schema: unknown, depth = 0): string {
    this.#left -= 1;
    if (!isSchema(schema) || depth > MAX_DEPTH || this.#left < 0) return 'unknown';
    const inner = (one: unknown): string => this.of(one, depth + 1);
    const { enum: choices, const: constant, items, properties, type } = schema;
    if (Array.isArray(choices)) return choices.map((value) => JSON.stringify(value)).join(' | ');
    if (constant !== undefined) return JSON.stringify(constant);
    const alternatives = list(schema['anyOf'] ?? schema['oneOf']);
    if (alternatives.length > 0) return alternatives.map(inner).join(' | ');
    if (items !== undefined) return `[${inner(items)}, …]`;
    if (schema['$ref'] !== undefined) return inner(referred(schema['$ref'], this.#root));
    if (properties === undefined)
      return (
        [type]
          .flat()
          .filter((one) => typeof one === 'string')
          .join(' | ') || 'unknown'
      );
    const required = new Set(requiredNames(schema));
    const fields = namedSchemas(properties).map(([name, value]) => {
      const written = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      return `${written}${required.has(name) ? '' : '?'}: ${inner(value)}`;
    });
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
}

const typesOf = (schema: JsonSchema): string => new Types(schema).of(schema);

/** Formats what a tool answers a program with. Of a tool of an MCP server, the structured value is as that server declares it. */
export function describeData({ output, outputSchema }: Pick<AnyTool, 'output' | 'outputSchema'>): string {
  const schema = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  if (outputSchema === undefined || !isSchema(schema['properties'])) return typesOf(schema);
  const fields = namedSchemas(schema['properties']).map(
    ([name, inner]) => `${name}: ${name === 'structured' ? typesOf(outputSchema) : new Types(schema).of(inner)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

/** Formats a tool's input as one readable line, such as `read_file { path: string, offset?: integer }`. */
export function describeInput({ name, input, inputSchema }: Pick<AnyTool, 'name' | 'input' | 'inputSchema'>): string {
  // Types that JSON Schema cannot express are shown as `unknown`: a conversion error must not hide the original mistake.
  const schema = inputSchema ?? (z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
  return `${name} ${typesOf(schema)}`;
}
