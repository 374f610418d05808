import { redactedStart, type Redact } from './redact.ts';

/** Characters of one text that a summary is made from: as long as a path can be. */
const TEXT_CHARACTERS = 4_096;

/** A text that is not longer is done at once: to do it later costs more. */
const SHORT_CHARACTERS = 256;

/**
 * Arguments for the one line that sums a call up. They lose their secrets before it is made, not after: a summary shows
 * the beginning of a command, and a secret that is cut has lost the shape by which it is known.
 */
export function summaryArguments(input: Readonly<Record<string, unknown>>, redact: Redact): Record<string, unknown> {
  const shown = (value: unknown): unknown => (typeof value === 'string' ? redactedStart(value, TEXT_CHARACTERS, redact) : value);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const isShort = !Array.isArray(value) && !(typeof value === 'string' && value.length > SHORT_CHARACTERS);
    // A plain assignment of that name would set the prototype.
    if (isShort && name !== '__proto__') fields[name] = shown(value);
    // Only when it is asked for: the content of a file is long, and in no summary.
    else Object.defineProperty(fields, name, { enumerable: true, get: () => (Array.isArray(value) ? value.map(shown) : shown(value)) });
  }
  return fields;
}
