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

/** Splits Markdown, AsciiDoc or reStructuredText at its headings. Omits fenced code and blank lines. */
export function sections(text: string, firstLine: number): Section[] {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  const all: Section[] = [{ heading: '', level: 0, line: firstLine, body: [] }];
  let fence = false;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) fence = !fence;
    if (fence || FENCE.test(line) || line.trim() === '') continue;
    const match = HEADING.exec(line);
    const underlined = match === null && UNDERLINE.test(lines[index + 1] ?? '') && !/^\s*[-*+>|]/u.test(line);
    if (match !== null || underlined) {
      const level = match === null ? (lines[index + 1]?.startsWith('=') === true ? 1 : 2) : (match[1] ?? match[2] ?? '').length;
      all.push({ heading: (match?.[3] ?? line).trim(), level, line: firstLine + index, body: [] });
    } else if (!UNDERLINE.test(line)) all.at(-1)?.body.push({ value: line, line: firstLine + index });
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
