/** A value of a response as an object; an empty one where it is none. Responses are read, not trusted. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A value of a response as a list; an empty one where it is none. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function id(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A name as text; what is no text names no tool. */
export function name(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
