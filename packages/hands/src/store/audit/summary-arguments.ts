import { redactedStart, type Redact } from './redact.ts';

/** Characters of one text that a summary is made from: as long as a path can be. */
const TEXT_CHARACTERS = 4_096;

/**
 * Arguments for the one line that sums a call up. They lose their secrets before it is made, not after: a summary shows
 * the beginning of a command, and a secret that is cut has lost the shape by which it is known.
 */
export function summaryArguments(input: Readonly<Record<string, unknown>>, redact: Redact): Record<string, unknown> {
  const shown = (value: unknown): unknown => (typeof value === 'string' ? redactedStart(value, TEXT_CHARACTERS, redact) : value);
  const fields = Object.entries(input).map(([name, value]): [string, PropertyDescriptor] => {
    // Only when it is asked for: the content of a file is long, and in no summary.
    return [name, { enumerable: true, get: () => (Array.isArray(value) ? value.map(shown) : shown(value)) }];
  });
  return Object.defineProperties({}, Object.fromEntries(fields));
}
