import { hash } from 'node:crypto';
import { isSecretName, type Redact, REDACTED, redactedStart } from './redact.ts';

/** Strings that JSON encodes unchanged, with one byte per character. */
const PLAIN = /^[ !#-[\]-~]*$/u;

/** Returns the size of a value as JSON in bytes. Short plain strings, the most common values, are counted without encoding them. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string' && PLAIN.test(value)) return value.length + 2;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Maximum size of a list in a record, in bytes of JSON. The log is bounded, and one call must not displace hundreds of others. */
const LIST_BYTES = 16 * 1024;

/** A list in a record. */
export interface Listed<T> {
  readonly kept: readonly T[];
  /** Number of entries that were omitted. */
  readonly more: number;
}

/** Converts the first entries of a list, as many as fit into a record. */
export function listed<T, R>(entries: Iterable<T>, describe: (entry: T) => R): Listed<R> {
  const kept: R[] = [];
  let room = LIST_BYTES;
  let more = 0;
  for (const entry of entries) {
    if (room <= 0) {
      more += 1;
      continue;
    }
    const described = describe(entry);
    kept.push(described);
    room -= jsonBytes(described);
  }
  return { kept, more };
}

/** Maximum number of characters of a text in a record. */
const TEXT_CHARACTERS = 512;
/** Maximum number of values of a call's arguments in a record. */
const MAX_VALUES = 200;
const MAX_DEPTH = 8;
/** Maximum size of a call's arguments in bytes of JSON. A few hundred calls must not displace all others. */
const TOTAL_BYTES = 16 * 1024;

/** A text of which a record holds only the beginning. */
interface CutText {
  readonly text: string;
  /** Length of the full text in bytes of UTF-8. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Returns a text without secrets. A long text is cut, with the hash of the full text. */
function describeText(text: string, redact: Redact): string | CutText {
  if (text.length <= TEXT_CHARACTERS) return redact(text);
  const kept = redactedStart(text, TEXT_CHARACTERS, redact);
  return { text: kept, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
}

/** Whether a text announces that the next one is a secret: `--token`, `X-Api-Key`, `DB_PASSWORD`, curl's `-u`. */
function namesSecret(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 64) return false;
  return /^-[uU]$/u.test(text) || (/^-{0,2}[A-Za-z][\w.-]*:?$/u.test(text) && isSecretName(text.replace(/^-+|:$/gu, '')));
}

/** A property without calling a getter. */
const valueAt = (value: object, name: string | number): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;

/** Describes values, within bounds for all of them together. */
class Description {
  readonly #redact: Redact;
  #left = MAX_VALUES;
  #room = TOTAL_BYTES;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#taking(describeText(value, this.#redact));
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
    if (typeof value !== 'object') return `[${typeof value}]`;
    if (depth > MAX_DEPTH) return '[nested deeper]';
    return Array.isArray(value) ? this.#list(value, depth) : this.#fields(value, depth);
  }

  #list(value: readonly unknown[], depth: number): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      if (this.#isFull()) return [...items, `[${value.length - index} more]`];
      const item = valueAt(value, index);
      const isSecret = typeof item === 'string' && namesSecret(valueAt(value, index - 1));
      items.push(isSecret ? REDACTED : this.of(item, depth + 1));
    }
    return items;
  }

  #fields(value: object, depth: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const named = ['name', 'key', 'header'].some((field) => namesSecret(valueAt(value, field)));
    for (const name of Object.keys(value)) {
      if (this.#isFull()) return { ...fields, '…': '[more fields]' };
      const field = valueAt(value, name);
      const shown = this.#taking(redactedStart(name, 64, this.#redact));
      const holdsText = typeof field === 'string' || (typeof field === 'object' && field !== null);
      const content = holdsText && (isSecretName(name) || (named && name === 'value')) ? REDACTED : this.of(field, depth + 1);
      // A plain assignment to this key would set the prototype.
      if (shown === '__proto__') Object.defineProperty(fields, shown, { value: content, enumerable: true });
      else fields[shown] = content;
    }
    return fields;
  }

  #taking<T>(kept: T): T {
    this.#room -= jsonBytes(kept);
    return kept;
  }

  #isFull(): boolean {
    this.#left -= 1;
    return this.#left < 0 || this.#room <= 0;
  }
}

/**
 * Converts arguments for a record: bounded, without secrets, and without running any of their code.
 * Getters are not called. Unsupported values are replaced by their type.
 */
export function describeArguments(input: unknown, redact: Redact): unknown {
  try {
    return new Description(redact).of(input, 0);
  } catch {
    // A proxy that throws. The call is refused for it later, but still needs a record.
    return '[unreadable]';
  }
}

/** Maximum number of characters of a text in a summary: the maximum length of a path. */
const SUMMARY_CHARACTERS = 4_096;

/** Texts up to this many characters are redacted at once, because a getter costs more. */
const SHORT_CHARACTERS = 256;

/**
 * Prepares arguments for a call's one-line summary. Secrets are removed before the summary is made: it shows the beginning
 * of a command, and a secret that is cut off no longer matches its pattern.
 */
export function summaryArguments(input: Readonly<Record<string, unknown>>, redact: Redact): Record<string, unknown> {
  const shown = (value: unknown): unknown => (typeof value === 'string' ? redactedStart(value, SUMMARY_CHARACTERS, redact) : value);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const isShort = !Array.isArray(value) && !(typeof value === 'string' && value.length > SHORT_CHARACTERS);
    // A plain assignment to that name would set the prototype.
    if (isShort && name !== '__proto__') fields[name] = shown(value);
    // Computed on access: the content of a file is long and in no summary.
    else Object.defineProperty(fields, name, { enumerable: true, get: () => (Array.isArray(value) ? value.map(shown) : shown(value)) });
  }
  return fields;
}
