/** Returns a value of an untrusted response as an object; an empty object if it is not one. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Returns a value of a response as a list; an empty list if it is not one. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a value as a non-empty string; undefined if it is not one. */
export function id(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a name as a string; empty if it is not one, which matches no tool. */
export function name(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
