/** The line that opens a block of code. */
export interface Fence {
  readonly indent: number;
  readonly mark: string;
  readonly language: string;
}

const OPENING = /^(?<indent> {0,3})(?<mark>`{3,}(?=[^`\n]*(?:\n|$))|~{3,})(?<language>[^\n]*)(?:\n|$)/u;

/** Reads the line that opens a block of code; undefined for any other. */
export function openingFence(line: string): Fence | undefined {
  const { indent, mark, language = '' } = OPENING.exec(line)?.groups ?? {};
  return indent === undefined || mark === undefined ? undefined : { indent: indent.length, mark, language: language.trim() };
}

/** Whether a line closes a block of code, by the rule of the parser. */
export function closesFence(line: string, { mark }: Fence): boolean {
  const spaces = /^ */u.exec(line)?.[0].length ?? 0;
  const rest = line.slice(spaces);
  return spaces <= 3 && rest.startsWith(mark) && (mark.startsWith('~') ? /^~* *$/u : /^`* *$/u).test(rest.slice(mark.length));
}

/** A line of code without the indentation of its fence. */
export function withoutIndent(line: string, { indent }: Fence): string {
  const spaces = /^ */u.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(indent, spaces));
}

/** The lines between the fences of a block; the closing one may be missing. */
export function fencedLines(raw: string, fence: Fence): string[] {
  const [, ...lines] = raw.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const end = lines.findIndex((line) => closesFence(line, fence));
  return (end === -1 ? lines : lines.slice(0, end)).map((line) => withoutIndent(line, fence));
}
