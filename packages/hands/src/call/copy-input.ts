import { SynapseError } from '@synapse/protocol';
import { hash } from 'node:crypto';

/** Maximum nesting of arguments. No tool nests deeper than a few levels; JSON.stringify fails at about 10,000. */
const MAX_DEPTH = 32;
/** Maximum length of all text of a call, in UTF-16 code units. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_VALUES = 100_000;

function refuse(path: string, problem: string): never {
  throw new SynapseError('invalid_arguments', `${path === '' ? 'The arguments' : path} ${problem}.`);
}

/** Formats a field's path, such as `edits[0].old_text`. */
export function fieldPath(path: ReadonlyArray<PropertyKey>): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? shortKey(key) : `${text}.${shortKey(key)}`),
    '',
  );
}

function shortKey(key: PropertyKey): string {
  const text = String(key);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/**
 * Copies an input into plain data, once. Getters and proxies are read here and never again, so that
 * what is checked is what runs. Rejects values that JSON cannot represent, with the field's name.
 */
export function copyInput(input: unknown): unknown {
  let characters = 0;
  let values = 0;
  const text = (value: string, path: PropertyKey[]): string => {
    characters += value.length;
    if (characters > MAX_CHARACTERS) {
      refuse(fieldPath(path), `is too long: all text of a call together may have ${MAX_CHARACTERS.toLocaleString('en')} characters`);
    }
    if (value.includes('\0')) refuse(fieldPath(path), 'holds a NUL character, which no text argument may');
    if (!value.isWellFormed()) refuse(fieldPath(path), 'holds half of a surrogate pair; send well-formed Unicode');
    return value;
  };
  const copy = (value: unknown, path: PropertyKey[]): unknown => {
    values += 1;
    if (values > MAX_VALUES) refuse('', `hold more than ${MAX_VALUES.toLocaleString('en')} values`);
    if (path.length > MAX_DEPTH) refuse('', `are nested more than ${MAX_DEPTH} levels deep`);
    if (typeof value === 'string') return text(value, path);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) refuse(fieldPath(path), 'must be a finite number');
      return value;
    }
    if (value === null || typeof value === 'boolean' || value === undefined) return value;
    if (Array.isArray(value)) return Array.from(value, (item: unknown, index) => copy(item, [...path, index]));
    if (typeof value !== 'object') refuse(fieldPath(path), `is a ${typeof value}; only JSON values can be sent`);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) refuse(fieldPath(path), 'is not a plain object; only JSON values can be sent');
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const inner = [...path, key];
      // Assigning this key would set the prototype instead of a field.
      if (key === '__proto__') refuse(fieldPath(inner), 'is not a field of any tool');
      text(key, path);
      result[key] = copy((value as Record<string, unknown>)[key], inner);
    }
    return result;
  };
  return copy(input, []);
}

/** Parses JSON text that a model sent instead of an object or a list. */
export function parseJsonText(text: string): unknown {
  if (text.length > MAX_CHARACTERS) refuse('', `are longer than ${MAX_CHARACTERS.toLocaleString('en')} characters`);
  try {
    return copyInput(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SynapseError('invalid_arguments', 'The arguments are text that is not JSON.', {
      hint: 'Send the arguments as a JSON object.',
      cause: error,
    });
  }
}

/** Serializes a value as JSON with sorted keys, so that equal values have equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{${entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** Returns the hash that an approval is bound to, so that exactly the shown call runs. */
export function fingerprint(tool: string, input: Readonly<Record<string, unknown>>): string {
  return hash('sha256', `${tool}\n${canonical(input)}`, 'hex');
}
