import type { FieldAliases } from '../tool.ts';

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Gives fields their own names. Where both names are there, which one is meant is not known: both stay, and one is refused. */
function renamed(input: Fields, names: Readonly<Record<string, string>>): Fields {
  const result: Fields = { ...input };
  for (const [alias, field] of Object.entries(names)) {
    if (!Object.hasOwn(result, alias) || !isAbsent(result[field])) continue;
    result[field] = result[alias];
    delete result[alias];
  }
  return result;
}

/** Takes the names that other systems give to fields for those of the tool, in plain data. */
export function acceptAliases(input: unknown, { fields = {}, items }: FieldAliases): unknown {
  if (!isFields(input)) return input;
  const result = renamed(input, fields);
  if (items === undefined) return result;
  const { list, fields: names } = items;
  const flat = [...new Set([...Object.keys(names), ...Object.values(names)])].filter((name) => Object.hasOwn(result, name));
  if (flat.length > 0 && isAbsent(result[list])) {
    result[list] = [Object.fromEntries(flat.map((name) => [name, result[name]]))];
    for (const name of flat) delete result[name];
  }
  const given = result[list];
  if (Array.isArray(given)) result[list] = given.map((item: unknown) => (isFields(item) ? renamed(item, names) : item));
  return result;
}
