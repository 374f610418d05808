import type { Fact } from './manifest.ts';

/** The README of a folder, by its usual names. */
export const README = /^readme(?:\.(?:md|markdown|rst|txt|adoc|org))?$/iu;

/** Lines that say nothing about the project: badges, pictures, HTML, rules, tables, comments, directives. */
const DECORATION = /^(?:\[!\[|!\[|<|\||\.\.\s|:\w+:|[-=*_~#^"+]{3,}\s*$|\[[^\]]*\]:\s)/u;

/** Links as the words that are read. */
export function withoutLinks(line: string): string {
  return line.replace(/!?\[([^\]]{0,200})\](?:\([^)\s]{0,500}\)|\[[^\]]{0,200}\])/gu, '$1');
}

/** Links and emphasis as the words that are read. An underscore in a word is part of a name. */
function words(line: string): string {
  return withoutLinks(line)
    .replace(/[*`]{1,3}([^*`]{1,200})[*`]{1,3}/gu, '$1')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}([^_]{1,200})_{1,3}(?![\p{L}\p{N}_])/gu, '$1');
}

/** The first paragraph of a README that is prose, with its first line. */
export function firstParagraph(text: string): Fact | undefined {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  let fence = false;
  let comment = false;
  let frontMatter = lines[0]?.trim() === '---';
  const paragraph: string[] = [];
  let first = 0;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim().replace(/^>\s?/u, '');
    if (frontMatter) {
      if (index > 0 && line === '---') frontMatter = false;
      continue;
    }
    const isFence = /^(?:```|~~~)/u.test(line);
    if (isFence) fence = !fence;
    if (line.startsWith('<!--')) comment = true;
    const skipped = fence || isFence || comment || DECORATION.test(line) || /^(?:#{1,6}|=+)\s/u.test(line);
    if (comment && line.includes('-->')) comment = false;
    // A line underlined with = or - was a heading.
    const underlined = /^(?:=+|-+|~+)$/u.test(line) && paragraph.length === 1;
    if (underlined) paragraph.length = 0;
    else if (line === '' || skipped) {
      if (paragraph.length > 0) break;
    } else {
      if (paragraph.length === 0) first = index + 1;
      paragraph.push(words(line));
    }
  }
  const value = paragraph.join(' ').trim();
  return value === '' ? undefined : { value, line: first };
}
