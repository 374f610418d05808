import { list, namedSchemas, visitSchemas, type JsonSchema } from '../tool/json-schema.ts';
import type { ProviderRules } from './provider-rules.ts';

const LIMITS = ['maxDepth', 'maxFields', 'maxEnumValues', 'maxNameCharacters'] as const;
type Limit = (typeof LIMITS)[number];

const WHAT: Readonly<Record<Limit, string>> = {
  maxDepth: 'levels of objects in one another',
  maxFields: 'fields in all',
  maxEnumValues: 'enum values in all',
  maxNameCharacters: 'characters of field names and enum values in all',
};

const characters = (values: readonly unknown[]): number => values.reduce<number>((sum, value) => sum + String(value).length, 0);

function measure(schema: JsonSchema): Record<Limit, number> {
  const sizes = { maxDepth: 0, maxFields: 0, maxEnumValues: 0, maxNameCharacters: 0 };
  visitSchemas(schema, ({ properties, enum: values, const: only }, _, depth) => {
    const names = namedSchemas(properties).map(([name]) => name);
    const choices = [...list(values), ...(typeof only === 'string' ? [only] : [])];
    if (names.length > 0) sizes.maxDepth = Math.max(sizes.maxDepth, depth + 1);
    sizes.maxFields += names.length;
    sizes.maxEnumValues += choices.length;
    sizes.maxNameCharacters += characters(names) + characters(choices);
  });
  return sizes;
}

/** Describes how a schema exceeds a provider's limits. */
export function excess(schema: JsonSchema, rules: ProviderRules): readonly string[] {
  if (LIMITS.every((limit) => rules[limit] === undefined)) return [];
  const sizes = measure(schema);
  return LIMITS.flatMap((limit) => {
    const most = rules[limit];
    return most !== undefined && sizes[limit] > most ? [`${sizes[limit]} ${WHAT[limit]}, of at most ${most}`] : [];
  });
}
