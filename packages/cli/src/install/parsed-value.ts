/** What a parser made of a file: objects without a prototype, and whatever else it has for dates. */
type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The same value with objects as a program makes them; those of parsers have no prototype, and would never be equal. */
export function ownTables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownTables);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, ownTables(field)]));
}

/** A value without one of its fields, and without objects on the way that are empty then. */
export function withoutField(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || !isTable(value)) return value;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    if (name !== key) return [[name, field] as const];
    const left = rest.length === 0 ? undefined : withoutField(field, rest);
    return left === undefined ? [] : [[name, left] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
