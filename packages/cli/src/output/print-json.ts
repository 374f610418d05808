import type { Output } from './output.ts';
import { visibleJson } from './visible-text.ts';

/** Prints a value as JSON that is safe on a terminal: indented for a person, on one line for a program. */
export function printJson(out: Output, value: unknown): void {
  out.write(`${visibleJson(JSON.stringify(value, null, out.isTerminal ? 2 : 0))}\n`);
}
