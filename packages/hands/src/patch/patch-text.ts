import type { PatchLine } from './patch.ts';

/** The lines of a patch without their line ends, and a place in them. */
export interface PatchReader {
  readonly lines: readonly string[];
  /** Index of the next line. */
  index: number;
}

const HEADER = /^(?:\*\*\* |diff --git |--- |\+\+\+ |@@)/u;

/**
 * Splits a patch. Where its headers end with CRLF the patch itself was sent with CRLF, and that is taken
 * off; where only lines of files do, they are lines of files with CRLF.
 */
export function readPatchText(patch: string): PatchReader {
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const header = lines.find((line) => HEADER.test(line));
  const sentWithCrlf = header?.endsWith('\r') ?? false;
  return { lines: sentWithCrlf ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines, index: 0 };
}

const KINDS: Readonly<Record<string, PatchLine['kind']>> = { ' ': 'context', '-': 'remove', '+': 'add' };

/** Whether a line of a hunk is the mark behind a last line that has no line end. Another line that begins with \\ is text. */
export function isNoLineEnd(line: string): boolean {
  return line.startsWith('\\ ');
}

/** Reads a line of a hunk; an empty one is an empty line of context whose space got lost. One without a mark is context as it stands. */
export function parseHunkLine(line: string): PatchLine {
  const kind = line === '' || line === '\r' ? 'context' : KINDS[line[0] ?? ''];
  const carriageReturn = line.endsWith('\r');
  const raw = carriageReturn ? line.slice(0, -1) : line;
  if (kind === undefined) return { kind: 'context', text: raw, carriageReturn, noLineEnd: false, raw, unmarked: true };
  return { kind, text: raw.slice(1), carriageReturn, noLineEnd: false, ...(kind === 'context' ? { raw } : {}) };
}

/** Applies `\ No newline at end of file` to the line before it. */
export function markNoLineEnd(line: PatchLine | undefined): void {
  if (line === undefined) return;
  line.noLineEnd = true;
  // Nothing follows it, so it is a character of the line and no part of a line end.
  if (line.carriageReturn) line.text += '\r';
  line.carriageReturn = false;
}

/** Takes off the lines at a hunk's end that are blank in the patch: they only set it apart from what follows. */
export function dropBlankEnd(lines: PatchLine[], blank: readonly boolean[], keep: number): void {
  while (lines.length > keep && blank[lines.length - 1] === true) lines.pop();
}
