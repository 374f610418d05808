import { hash } from 'node:crypto';
import { jsonBytes } from './json-bytes.ts';
import { isSecretName, REDACTED, redactedStart, type Redact } from './redact.ts';

/** Characters of one text that a record keeps. */
const TEXT_CHARACTERS = 512;
/** Values of one call's arguments that a record keeps. */
const MAX_VALUES = 200;
const MAX_DEPTH = 8;
/** Bytes of JSON that one call's arguments take in the log: a few hundred calls must not push all others out of it. */
const TOTAL_BYTES = 16 * 1024;

/** A text that a record does not hold whole. */
export interface CutText {
  readonly text: string;
  /** Length of the whole in UTF-8. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A text as a record keeps it: without secrets, and cut with the hash of the whole where it is long. */
export function describeText(text: string, redact: Redact): string | CutText {
  if (text.length <= TEXT_CHARACTERS) return redact(text);
  const kept = redactedStart(text, TEXT_CHARACTERS, redact);
  return { text: kept, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) };
}

/** Whether a text says that the one beside it is a secret: `--token`, `X-Api-Key`, `DB_PASSWORD`, curl's `-u`. */
function namesSecret(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 64) return false;
  return /^-[uU]$/u.test(text) || (/^-{0,2}[A-Za-z][\w.-]*:?$/u.test(text) && isSecretName(text.replace(/^-+|:$/gu, '')));
}

/**
 * Arguments as a record keeps them: bounded, without secrets, and read without running anything of theirs.
 * Getters are not called; what a record cannot hold is named by its type.
 */
export function describeArguments(input: unknown, redact: Redact): unknown {
  let left = MAX_VALUES;
  let room = TOTAL_BYTES;
  const taking = <T>(kept: T): T => {
    room -= jsonBytes(kept);
    return kept;
  };
  const isFull = (): boolean => {
    left -= 1;
    return left < 0 || room <= 0;
  };
  const describe = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return taking(describeText(value, redact));
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
    if (typeof value !== 'object') return `[${typeof value}]`;
    if (depth > MAX_DEPTH) return '[nested deeper]';
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (let index = 0; index < value.length; index += 1) {
        if (isFull()) return [...items, `[${value.length - index} more]`];
        const item: unknown = Object.getOwnPropertyDescriptor(value, index)?.value;
        items.push(
          typeof item === 'string' && namesSecret(Object.getOwnPropertyDescriptor(value, index - 1)?.value) ? REDACTED : describe(item, depth + 1),
        );
      }
      return items;
    }
    const fields: Record<string, unknown> = {};
    const named = ['name', 'key', 'header'].some((field) => namesSecret(Object.getOwnPropertyDescriptor(value, field)?.value));
    for (const name of Object.keys(value)) {
      if (isFull()) return { ...fields, '…': '[more fields]' };
      const field: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
      const shown = taking(redactedStart(name, 64, redact));
      const holdsText = typeof field === 'string' || (typeof field === 'object' && field !== null);
      const content = holdsText && (isSecretName(name) || (named && name === 'value')) ? REDACTED : describe(field, depth + 1);
      // A plain assignment of this key would set the prototype.
      if (shown === '__proto__') Object.defineProperty(fields, shown, { value: content, enumerable: true });
      else fields[shown] = content;
    }
    return fields;
  };
  try {
    return describe(input, 0);
  } catch {
    // A proxy that throws: the call is refused for it later, and the record must stand all the same.
    return '[unreadable]';
  }
}
