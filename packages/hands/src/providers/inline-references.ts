import { MAX_SCHEMA_VALUES, refuseSchema } from './bounded-schema.ts';
import { isSchema, mapSubschemas, type JsonSchema } from './json-schema.ts';

/** Keywords beside `$ref` that only tell about it, so that they may stand in for those of what it names. */
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
/** What is done with once references are written out; `$schema` only costs tokens. */
const DONE: ReadonlySet<string> = new Set(['$ref', '$defs', 'definitions', '$schema']);
/** References that depend on how one came to them, or that need a search: nothing of known servers has them. */
const OTHER_REFERENCES = ['$dynamicRef', '$recursiveRef'];

/** A step of a JSON Pointer in a URI fragment. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // A stray % is taken as it stands; it will name nothing.
    return step;
  }
}

function target(root: JsonSchema, reference: unknown, field: string): JsonSchema {
  const hint = 'Write the schema out in place of the reference.';
  if (typeof reference !== 'string') return refuseSchema(field, 'has a $ref that is no text', hint);
  // Nothing is ever fetched: a schema could make us ask any address.
  if (!reference.startsWith('#')) return refuseSchema(field, 'refers to another document, which is never fetched', hint);
  if (!reference.startsWith('#/')) return refuseSchema(field, 'refers to the whole schema or to an anchor', hint);
  let found: unknown = root;
  for (const step of reference.slice(2).split('/').map(decoded)) {
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as JsonSchema)[step] : undefined;
  }
  return isSchema(found) ? found : refuseSchema(field, 'refers to what is not there', hint);
}

/**
 * Writes out every local `$ref`, and leaves the definitions away.
 *
 * @throws SynapseError `invalid_arguments` for a reference to itself, to another document or to nothing,
 *   and where the outcome would be too large
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
