import { describeLeftOut } from './constraint-words.ts';
import { isSchema, list, namedSchemas, requiredNames, type JsonSchema } from './json-schema.ts';
import type { ToolDescription } from './tool-description.ts';

/** Keywords that the text has a place of its own for. */
const SHOWN: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'enum',
  'const',
]);

function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'any';
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const alternatives = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (alternatives.length > 0) return alternatives.map(typeOf).join(' or ');
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'])}`;
  return list([schema['type']].flat()).join(' or ') || 'any';
}

function fieldLines(schema: JsonSchema, indent: string): readonly string[] {
  const required = requiredNames(schema);
  return namedSchemas(schema['properties']).flatMap(([name, given]) => {
    const field = isSchema(given) ? given : {};
    const rest = Object.fromEntries(Object.entries(field).filter(([keyword]) => !SHOWN.has(keyword)));
    const told = describeLeftOut(field['description'], rest);
    const inner = isSchema(field['items']) ? field['items'] : field;
    const line = `${indent}- \`${name}\` (${typeOf(field)}${required.includes(name) ? ', required' : ''})${told === undefined ? '' : `: ${told}`}`;
    return [line, ...fieldLines(inner, `${indent}  `)];
  });
}

/** The tools as text that a person or a model reads. */
export function toolsMarkdown(tools: readonly ToolDescription[]): string {
  const sections = tools.map(({ name, description, inputSchema }) => {
    const fields = fieldLines(inputSchema, '');
    return `## ${name}\n\n${description}\n${fields.length === 0 ? '' : `\n${fields.join('\n')}\n`}`;
  });
  return sections.join('\n');
}
