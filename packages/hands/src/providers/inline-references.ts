import { MAX_SCHEMA_VALUES, refuseSchema } from './bounded-schema.ts';
import { isSchema, mapSubschemas, type JsonSchema } from '../tool/json-schema.ts';

/** Keywords beside `$ref` that only describe; they replace those of the referenced schema. */
const TELLING: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
]);
/** Keywords that are removed after references are inlined; `$schema` only costs tokens. */
const DONE: ReadonlySet<string> = new Set(['$ref', '$defs', 'definitions', '$schema']);
/** References that depend on the path to them or need a search. No known server uses them. */
const OTHER_REFERENCES = ['$dynamicRef', '$recursiveRef'];

/** Decodes a step of a JSON Pointer in a URI fragment. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // Keep a stray % unchanged; the step will match nothing.
    return step;
  }
}

function target(root: JsonSchema, reference: unknown, field: string): JsonSchema {
  const hint = 'Write the schema out in place of the reference.';
  if (typeof reference !== 'string') return refuseSchema(field, 'has a $ref that is no text', hint);
  // Never fetch: a schema could request any address.
  if (!reference.startsWith('#')) return refuseSchema(field, 'refers to another document, which is never fetched', hint);
  if (!reference.startsWith('#/')) return refuseSchema(field, 'refers to the whole schema or to an anchor', hint);
  let found: unknown = root;
  for (const step of reference.slice(2).split('/').map(decoded)) {
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as JsonSchema)[step] : undefined;
  }
  return isSchema(found) ? found : refuseSchema(field, 'refers to what is not there', hint);
}

/**
 * Inlines every local `$ref` and removes the definitions.
 *
 * @throws SynapseError `invalid_arguments` for a reference to itself, to another document or to nothing,
 *   and if the result would be too large
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  let schemas = 0;
  const inline = (schema: JsonSchema, field: string, inside: readonly unknown[]): JsonSchema => {
    schemas += 1;
    if (schemas > MAX_SCHEMA_VALUES) refuseSchema('', 'grows too large when its references are written out', 'Send a smaller one.');
    for (const keyword of OTHER_REFERENCES) {
      if (Object.hasOwn(schema, keyword)) refuseSchema(field, `has ${keyword}`, 'Write the schema out in its place.');
    }
    const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !DONE.has(keyword)));
    const own = mapSubschemas(kept, (inner, place) => inline(inner, field === '' ? place : `${field}.${place}`, inside));
    if (!Object.hasOwn(schema, '$ref')) return own;
    const reference = schema['$ref'];
    if (inside.includes(reference)) refuseSchema(field, 'contains itself', 'Providers take no recursive schemas: describe a fixed number of levels.');
    const named = inline(target(root, reference, field), field, [...inside, reference]);
    const clash = Object.keys(own).some((keyword) => !TELLING.has(keyword) && Object.hasOwn(named, keyword));
    return clash ? { allOf: [named, own] } : { ...named, ...own };
  };
  return inline(root, '', []);
}
