import * as z from 'zod';
import { harmlessText } from '../web/harmless-text.ts';

/** From the worst to the least. */
export const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a language server says about a place in a file. */
export interface Finding {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly severity: Severity;
  /** Such as `2322`; empty where the server names none. */
  readonly code: string;
  readonly message: string;
}

/** Of one file; more tell nothing that the worst of them do not. */
export const MAX_FINDINGS = 1_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
/** Of a message, so much is looked at. */
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

/** How severe an item says that it is, before it is known to have the form. */
function rank(item: unknown): number {
  const severity: unknown = Object(item).severity;
  return typeof severity === 'number' ? severity : 1;
}

/** Takes the workspace's real path from before the names of its files: servers name them in full. */
function belowRoot(root: string): (text: string) => string {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}._/-])${RegExp.escape(root)}/`, 'gu');
  return (text) => text.replaceAll(pattern, '');
}

/**
 * Reads the diagnostics of a server. What has not the form is left out: a server is a program that may be wrong, and its
 * texts hold words of the code it read.
 *
 * @param root the real path of the workspace
 */
export function readFindings(items: unknown, root: string): Finding[] {
  if (!Array.isArray(items)) return [];
  const findings: Finding[] = [];
  const relative = belowRoot(root);
  // Where there are too many, no hint may push an error out.
  const kept = items.length <= MAX_FINDINGS ? items : items.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_FINDINGS);
  for (const item of kept) {
    const parsed = diagnostic.safeParse(item);
    if (!parsed.success) continue;
    const { range, message, severity, code } = parsed.data;
    findings.push({
      line: Math.max(1, Math.trunc(range.start.line) + 1),
      column: Math.max(1, Math.trunc(range.start.character) + 1),
      // The protocol leaves it to the client what a diagnostic without severity is.
      severity: SEVERITIES[(severity ?? 1) - 1] ?? 'error',
      code: oneLine(String(code ?? ''), MAX_CODE_CHARACTERS),
      message: oneLine(relative(message.slice(0, MAX_TEXT_CHARACTERS)), MAX_MESSAGE_CHARACTERS),
    });
  }
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}
