/** A parsed value: objects without a prototype, and the parser's own types for dates. */
type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The same value with ordinary objects. Objects without a prototype never compare as equal. */
export function ownTables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownTables);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, ownTables(field)]));
}

/** A value without one of its fields, and without objects that become empty. */
export function withoutField(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || !isTable(value)) return value;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    if (name !== key) return [[name, field] as const];
    const left = rest.length === 0 ? undefined : withoutField(field, rest);
    return left === undefined ? [] : [[name, left] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** A value with a field set; creates missing objects. Undefined removes the field. */
export function withField(value: unknown, [key, ...rest]: readonly string[], field: unknown): unknown {
  if (key === undefined) return field;
  const table = isTable(value) ? value : {};
  const { [key]: inner, ...others } = table;
  const changed = withField(inner, rest, field);
  if (changed === undefined) return others;
  // Keep its position: a new field would come last.
  return Object.hasOwn(table, key)
    ? Object.fromEntries(Object.entries(table).map(([name, own]) => [name, name === key ? changed : own]))
    : { ...table, [key]: changed };
}
