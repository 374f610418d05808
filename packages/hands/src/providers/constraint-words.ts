import type { JsonSchema } from '../tool/json-schema.ts';

/** Maximum number of characters of a value that is quoted in a description. */
const MAX_QUOTED = 120;

function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

const values = (value: unknown): string => (Array.isArray(value) ? value.map(quoted).join(', ') : quoted(value));

/** How a description expresses a keyword that a provider does not support. */
const WORDS: ReadonlyMap<string, (value: unknown) => string> = new Map<string, (value: unknown) => string>([
  ['default', (value) => `default ${quoted(value)}`],
  ['minimum', (value) => `at least ${quoted(value)}`],
  ['maximum', (value) => `at most ${quoted(value)}`],
  ['exclusiveMinimum', (value) => `more than ${quoted(value)}`],
  ['exclusiveMaximum', (value) => `less than ${quoted(value)}`],
  ['multipleOf', (value) => `a multiple of ${quoted(value)}`],
  ['minLength', (value) => (value === 1 ? 'not empty' : `at least ${quoted(value)} characters`)],
  ['maxLength', (value) => `at most ${quoted(value)} characters`],
  ['pattern', (value) => `matching ${quoted(value)}`],
  ['format', (value) => `format ${quoted(value)}`],
  ['minItems', (value) => (value === 1 ? 'not empty' : `at least ${quoted(value)} items`)],
  ['maxItems', (value) => `at most ${quoted(value)} items`],
  ['uniqueItems', () => 'no item twice'],
  ['minProperties', (value) => `at least ${quoted(value)} fields`],
  ['maxProperties', (value) => `at most ${quoted(value)} fields`],
  ['const', (value) => `always ${quoted(value)}`],
  ['enum', (value) => `one of ${values(value)}`],
  ['example', (value) => `such as ${quoted(value)}`],
  ['examples', (value) => `such as ${values(value)}`],
]);

/** Keywords about the schema itself, for tools that read schemas. */
const SILENT: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $vocabulary id title discriminator xml externalDocs readOnly writeOnly deprecated propertyOrdering additionalItems contentEncoding contentMediaType'.split(
    ' ',
  ),
);

/** Whether a keyword can be removed: the schema then only permits more values, and a description can express the keyword. */
export function isConstraint(keyword: string): boolean {
  return WORDS.has(keyword) || SILENT.has(keyword) || keyword.startsWith('x-');
}

/** Returns a schema's description with the constraints of its removed keywords. */
export function describeLeftOut(description: unknown, leftOut: JsonSchema): string | undefined {
  const notes = Object.entries(leftOut)
    .filter(([keyword]) => !SILENT.has(keyword) && !keyword.startsWith('x-'))
    .map(([keyword, value]) => WORDS.get(keyword)?.(value) ?? `${keyword} ${quoted(value)}`);
  const text = typeof description === 'string' ? description : '';
  if (notes.length === 0) return text === '' ? undefined : text;
  return text === '' ? notes.join('; ') : `${text} (${notes.join('; ')})`;
}
