/** Maximum characters of the arguments in a row. */
const MAX_ARGS = 160;
const MAX_VALUE = 120;

/** Arguments that a value alone explains. All others keep their names. */
const PLAIN = new Set(['path', 'paths', 'command', 'pattern', 'url', 'query', 'content', 'name']);

function valueText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE);
  // A text that is truncated in the log.
  if (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string') return value.text.slice(0, MAX_VALUE);
  return JSON.stringify(value)?.slice(0, MAX_VALUE) ?? '';
}

/** Default values of the arguments of a tool, as JSON. */
export type Defaults = ReadonlyMap<string, string>;

/** Returns the default values in the input schema of a tool. */
export function defaultsOf({ properties }: Readonly<Record<string, unknown>>): Defaults {
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, schema]: [string, unknown]) =>
      typeof schema === 'object' && schema !== null && 'default' in schema ? [[name, JSON.stringify(schema.default)] as const] : [],
    ),
  );
}

/** Formats the arguments in one line: what the call is about first, the others with their names, and no defaults. */
export function argumentLine(input: unknown, defaults: Defaults = new Map()): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return valueText(input ?? '').slice(0, MAX_ARGS);
  const given = Object.entries(input).filter(([name, value]) => value !== undefined && JSON.stringify(value) !== defaults.get(name));
  const about = given.findIndex(([name]) => PLAIN.has(name));
  const ordered = about <= 0 ? given : [...given.slice(about, about + 1), ...given.slice(0, about), ...given.slice(about + 1)];
  const words = ordered.map(([name, value], index) => (index === 0 && about !== -1 ? valueText(value) : `${name}=${valueText(value)}`));
  return words.join(' ').replaceAll(/\s+/gu, ' ').slice(0, MAX_ARGS).toWellFormed();
}
