import type { Fact } from '../metadata/manifest.ts';

/** A heading with its body, up to the next heading. */
export interface Section {
  readonly heading: string;
  readonly level: number;
  readonly line: number;
  readonly body: Fact[];
}

const HEADING = /^(?:(#{1,6})|(={1,6}))\s+(\S.*)$/u;
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/u;
const FENCE = /^\s*(?:```|~~~)/u;

/** Returns the heading in a line, if it is one. @param next the line below it, which may underline it */
function headingIn(line: string, next = ''): Pick<Section, 'heading' | 'level'> | undefined {
  const match = HEADING.exec(line);
  if (match !== null) return { heading: (match[3] ?? line).trim(), level: (match[1] ?? match[2] ?? '').length };
  const underlined = UNDERLINE.test(next) && !/^\s*[-*+>|]/u.test(line);
  return underlined ? { heading: line.trim(), level: next.startsWith('=') ? 1 : 2 } : undefined;
}

/** Splits Markdown, AsciiDoc or reStructuredText at its headings. Omits fenced code and blank lines. */
export function sections(text: string, firstLine: number): Section[] {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  const all: Section[] = [{ heading: '', level: 0, line: firstLine, body: [] }];
  let isCode = false;
  for (const [index, value] of lines.entries()) {
    const isFence = FENCE.test(value);
    if (isFence) isCode = !isCode;
    if (isCode || isFence || value.trim() === '') continue;
    const line = firstLine + index;
    const heading = headingIn(value, lines[index + 1]);
    if (heading !== undefined) all.push({ ...heading, line, body: [] });
    else if (!UNDERLINE.test(value)) all.at(-1)?.body.push({ value, line });
  }
  return all;
}

/** Returns the body of a section, including its subsections. */
export function withInner(all: readonly Section[], index: number): Fact[] {
  const own = all[index];
  if (own === undefined) return [];
  const end = all.findIndex((section, at) => at > index && section.level <= own.level);
  return all.slice(index, end === -1 ? undefined : end).flatMap(({ body }) => body);
}

/** Whether the heading of a section, or one that it is below, matches. */
export function isBelow(all: readonly Section[], index: number, heading: RegExp): boolean {
  let level = Infinity;
  for (let at = index; at >= 0; at -= 1) {
    const section = all[at];
    if (section === undefined || section.level >= level) continue;
    if (heading.test(section.heading)) return true;
    level = section.level;
  }
  return false;
}
