import * as z from 'zod';
import { harmlessText } from '../text/terminal-text.ts';
import { belowRoot } from '../workspace/byte-name.ts';

/** From most to least severe. */
export const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A diagnostic of a language server at a position in a file. */
export interface Finding {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1, in UTF-16 units. */
  readonly column: number;
  readonly severity: Severity;
  /** For example `2322`; empty if the server reports none. */
  readonly code: string;
  readonly message: string;
}

/** Maximum number of findings per file. The most severe ones are kept. */
export const MAX_FINDINGS = 1_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
/** Maximum number of characters of a message that are processed. */
const MAX_TEXT_CHARACTERS = 16_000;
const MAX_CODE_CHARACTERS = 60;

const position = z.object({ line: z.number(), character: z.number() });
const diagnostic = z.object({
  range: z.object({ start: position }),
  message: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]),
  severity: z.number().optional(),
  code: z.union([z.string(), z.number()]).optional(),
});

const oneLine = (text: string, characters: number): string =>
  harmlessText(text.slice(0, characters * 2))
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, characters)
    .toWellFormed();

/** Returns the severity that an unvalidated item claims. */
function rank(item: unknown): number {
  const severity: unknown = Object(item).severity;
  return typeof severity === 'number' ? severity : 1;
}

/**
 * Reads the diagnostics of a server. Skips malformed items: a server may be faulty, and its messages contain
 * text from the code that it read.
 *
 * @param root the real path of the workspace
 */
export function readFindings(items: unknown, root: string): Finding[] {
  if (!Array.isArray(items)) return [];
  const findings: Finding[] = [];
  const relative = belowRoot(root);
  // If there are too many, a hint must not displace an error.
  const kept = items.length <= MAX_FINDINGS ? items : items.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_FINDINGS);
  for (const item of kept) {
    const parsed = diagnostic.safeParse(item);
    if (!parsed.success) continue;
    const { range, message, severity, code } = parsed.data;
    findings.push({
      line: Math.max(1, Math.trunc(range.start.line) + 1),
      column: Math.max(1, Math.trunc(range.start.character) + 1),
      // The protocol lets the client choose the severity of a diagnostic without one.
      severity: SEVERITIES[(severity ?? 1) - 1] ?? 'error',
      code: oneLine(String(code ?? ''), MAX_CODE_CHARACTERS),
      message: oneLine(relative(message.slice(0, MAX_TEXT_CHARACTERS)), MAX_MESSAGE_CHARACTERS),
    });
  }
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}
