import type { PatchLine } from './patch.ts';

/** The lines of a patch without their line ends, and a position. */
export interface PatchReader {
  readonly lines: readonly string[];
  /** Index of the next line. */
  index: number;
}

const HEADER = /^(?:\*\*\* |diff --git |--- |\+\+\+ |@@)/u;

/**
 * Splits a patch into lines. If its headers end with CRLF, the patch was sent with CRLF, which is
 * removed. If only other lines end with CRLF, the files have CRLF.
 */
export function readPatchText(patch: string): PatchReader {
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const header = lines.find((line) => HEADER.test(line));
  const sentWithCrlf = header?.endsWith('\r') ?? false;
  return { lines: sentWithCrlf ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines, index: 0 };
}

const KINDS: Readonly<Record<string, PatchLine['kind']>> = { ' ': 'context', '-': 'remove', '+': 'add' };

/** Whether a hunk line says that the previous line has no line end. Other lines that begin with \\ are text. */
export function isNoLineEnd(line: string): boolean {
  return line.startsWith('\\ ');
}

/** Parses a hunk line. An empty line is an empty context line that lost its space. A line without a mark is an unchanged context line. */
export function parseHunkLine(line: string): PatchLine {
  const kind = line === '' || line === '\r' ? 'context' : KINDS[line[0] ?? ''];
  const carriageReturn = line.endsWith('\r');
  const raw = carriageReturn ? line.slice(0, -1) : line;
  if (kind === undefined) return { kind: 'context', text: raw, carriageReturn, noLineEnd: false, raw, unmarked: true };
  return { kind, text: raw.slice(1), carriageReturn, noLineEnd: false, ...(kind === 'context' ? { raw } : {}) };
}

/** Applies `\ No newline at end of file` to the previous line. */
export function markNoLineEnd(line: PatchLine | undefined): void {
  if (line === undefined) return;
  line.noLineEnd = true;
  // Nothing follows it, so it is a character of the line and not part of a line end.
  if (line.carriageReturn) line.text += '\r';
  line.carriageReturn = false;
}

/** Removes the blank lines at the end of a hunk, which only separate it from what follows. */
export function dropBlankEnd(lines: PatchLine[], blank: readonly boolean[], keep: number): void {
  while (lines.length > keep && blank[lines.length - 1] === true) lines.pop();
}
