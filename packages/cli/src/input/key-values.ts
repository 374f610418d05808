import { nearest } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';

/** The schema of one field, as far as it decides what a word means. */
interface FieldSchema {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
}

/** A JSON Schema of an object. */
export type ObjectSchema = { readonly [keyword: string]: unknown };

/** A field as it was written. */
export interface KeyValue {
  readonly key: string;
  /** `text`: converted by the tool's schema. `json`: JSON, from `key:=value`. */
  readonly kind: 'text' | 'json';
  readonly value: string;
  /** The file to read the value from, from `key=@file`. */
  readonly file?: string;
}

/** Maximum characters of a word in an error. */
const SHOWN = 60;

function wrong(message: string, hint: string): SynapseError {
  return new SynapseError('invalid_arguments', message, { hint });
}

/** Splits `key=value`, `key:=json`, `key=@file` and `key:=@file`; undefined for any other word. */
export function splitKeyValue(word: string): KeyValue | undefined {
  const [, key, colon, at, value] = /^([^\s=:"'{}[\]][^\s="'{}[\]]*?)(:?)=(@?)([\s\S]*)$/u.exec(word) ?? [];
  if (key === undefined || value === undefined) return undefined;
  const kind = colon === ':' ? 'json' : 'text';
  return at === '@' ? { key, kind, value: '', file: value } : { key, kind, value };
}

const isSchema = (value: unknown): value is FieldSchema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The alternatives of a schema; itself if it has none. */
function alternatives(schema: FieldSchema): FieldSchema[] {
  const inner = [schema.anyOf, schema.oneOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (inner !== undefined) return inner.filter(isSchema).flatMap(alternatives);
  return Array.isArray(schema.type) ? schema.type.map((type: unknown) => ({ ...schema, type })) : [schema];
}

/** The type of the values of a schema, also where only its values are listed. */
function typeOf({ type, enum: values, const: only }: FieldSchema): unknown {
  if (type !== undefined) return type;
  const [first] = Array.isArray(values) ? (values as readonly unknown[]) : [only];
  return first === undefined ? undefined : typeof first;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** Converts a word to a type; undefined if it is not one. */
const READS: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  integer: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  number: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  object: (text) => (text.trimStart().startsWith('{') ? parsedOrUndefined(text) : undefined),
};

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Stays a text, so that the tool says what it expects.
    return undefined;
  }
}

/** The value of a word by a schema. Text that fits none stays text: the tool says what it expects. */
function valueBy(schema: FieldSchema | undefined, text: string): unknown {
  if (schema === undefined) return text;
  const types = alternatives(schema).map(typeOf);
  // A field that takes text means the text, also where it looks like a number.
  if (types.includes('string')) return text;
  for (const type of types) {
    const value = typeof type === 'string' && Object.hasOwn(READS, type) ? READS[type]?.(text) : undefined;
    if (value !== undefined) return value;
  }
  return text;
}

function parsedJson({ key, value }: KeyValue): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new SynapseError('invalid_arguments', `${key}:= is not followed by JSON: ${value.slice(0, SHOWN)}`, {
      hint: `Write ${key}=… for plain text; a text in JSON has double quotes: ${key}:='"text"'.`,
      cause: error,
    });
  }
}

/** The value of a field that was given once or several times. */
function fieldValue(key: string, given: readonly KeyValue[], schema: FieldSchema | undefined): unknown {
  const [first, ...more] = given;
  const list = schema === undefined ? undefined : alternatives(schema).find((one) => one.type === 'array');
  const item = isSchema(list?.items) ? list.items : undefined;
  const one = (field: KeyValue, by: FieldSchema | undefined): unknown => (field.kind === 'json' ? parsedJson(field) : valueBy(by, field.value));
  if (first === undefined) return undefined;
  if (more.length > 0) {
    if (schema !== undefined && list === undefined) throw wrong(`${key} was given ${given.length} times, and takes one value.`, 'Give it once.');
    return given.map((field) => one(field, item));
  }
  if (first.kind === 'json') return parsedJson(first);
  const isOnlyList = list !== undefined && alternatives(schema ?? {}).every(({ type }) => type === 'array' || type === 'null');
  if (!isOnlyList) return valueBy(schema, first.value);
  // A list of objects or numbers may be one JSON text. Of texts, it would be ambiguous.
  const mayBeText = item !== undefined && alternatives(item).some((of) => typeOf(of) === 'string');
  return (mayBeText ? undefined : jsonList(first.value)) ?? [one(first, item)];
}

function jsonList(text: string): unknown {
  const value = text.trimStart().startsWith('[') ? parsedOrUndefined(text) : undefined;
  return Array.isArray(value) ? value : undefined;
}

/**
 * Makes a tool's arguments of fields. Names are checked by the tool itself, which knows further names of its fields.
 *
 * @param schema the tool's JSON Schema; undefined if it is not known here, then all values are text
 * @throws SynapseError `invalid_arguments`
 */
export function keyValueInput(fields: readonly KeyValue[], schema: ObjectSchema | undefined): Record<string, unknown> {
  const properties = isSchema(schema?.['properties']) ? (schema['properties'] as Readonly<Record<string, unknown>>) : {};
  const byKey = new Map<string, KeyValue[]>();
  for (const field of fields) byKey.set(field.key, [...(byKey.get(field.key) ?? []), field]);
  return Object.fromEntries(
    [...byKey].map(([key, given]) => {
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, fieldValue(key, given, isSchema(known) ? known : undefined)];
    }),
  );
}

/** The error for a word that is neither JSON nor `key=value`. */
export function noKeyValue(word: string, known: readonly string[] = []): SynapseError {
  const near = nearest(word, known);
  return wrong(
    `Not a field: ${word.slice(0, SHOWN)}`,
    `${near.length > 0 ? `Did you mean ${near.map((name) => `${name}=…`).join(' or ')}? ` : ''}Write fields as key=value, or all of them as one JSON object in single quotes.`,
  );
}
