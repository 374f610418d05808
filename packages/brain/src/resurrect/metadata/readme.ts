import type { Fact } from './manifest.ts';

/** Usual names of a README. */
export const README = /^readme(?:\.(?:md|markdown|rst|txt|adoc|org))?$/iu;

/** Lines without information about the project: badges, images, HTML, rules, tables, comments, directives. */
const DECORATION = /^(?:\[!\[|!\[|<|\||\.\.\s|:\w+:|[-=*_~#^"+]{3,}\s*$|\[[^\]]*\]:\s)/u;

/** Replaces links by their text. */
export function withoutLinks(line: string): string {
  return line.replace(/!?\[([^\]]{0,200})\](?:\([^)\s]{0,500}\)|\[[^\]]{0,200}\])/gu, '$1');
}

/** Replaces links and emphasis by their text. An underscore inside a word is part of a name. */
function words(line: string): string {
  return withoutLinks(line)
    .replace(/[*`]{1,3}([^*`]{1,200})[*`]{1,3}/gu, '$1')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}([^_]{1,200})_{1,3}(?![\p{L}\p{N}_])/gu, '$1');
}

/** Thanks to sponsors, and requests for money: they say nothing about the project. */
const MONEY =
  /\b(?:(?:our|the|gold|silver|bronze|platinum|diamond|become an?|special|official|premium|generous)\s+(?:[\w-]+\s+){0,2}(?:sponsors?|backers?|patrons?)\b|sponsor(?:ed|ship)?\s+(?:by|us|me|this|the)\b|(?:is|are)\s+(?:[\w-]+\s+){0,2}supported\s+by\s+(?:our|the following|these|[^.]{0,80}\bsponsors?\b)|support\s+(?:us|me|this project|the project|(?:the |its |our )?development|our work)\b|(?:on|via|through|at)\s+(?:patreon|open\s?collective|github sponsors|ko-?fi|liberapay)\b|github\.com\/sponsors|buy me a coffee|donat(?:e|ing)\b|donations?\s+(?:to|are|help|via))/iu;

const isAboutMoney = (heading: string): boolean =>
  /^(?:\W*)(?:(?:our|special|gold|silver|platinum|premium|current)\s+)*(?:sponsors?|backers?|patrons?|supporters|donations?|funding|support us)\b/iu.test(
    heading,
  );

/** Returns the first prose paragraph of a README that is about the project, with its first line. */
export function firstParagraph(text: string): Fact | undefined {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  let fence = false;
  let comment = false;
  let frontMatter = lines[0]?.trim() === '---';
  const paragraph: string[] = [];
  let first = 0;
  let underMoney = false;
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim().replace(/^>\s?/u, '');
    if (frontMatter) {
      if (index > 0 && line === '---') frontMatter = false;
      continue;
    }
    const isFence = /^(?:```|~~~)/u.test(line);
    if (isFence) fence = !fence;
    if (line.startsWith('<!--')) comment = true;
    const isUnderlined = line !== '' && paragraph.length === 0 && /^(?:={3,}|-{3,}|~{3,})$/u.test(lines[index + 1]?.trim() ?? '');
    const heading = isUnderlined ? line : /^(?:#{1,6}|=+)\s+(.*)$/u.exec(line)?.[1];
    if (heading !== undefined && !fence && !comment) underMoney = isAboutMoney(heading);
    const skipped = underMoney || fence || isFence || comment || DECORATION.test(line) || /^(?:#{1,6}|=+)\s/u.test(line);
    if (comment && line.includes('-->')) comment = false;
    // The previous line was a heading, underlined with = or -.
    const underlined = /^(?:=+|-+|~+)$/u.test(line) && paragraph.length === 1;
    if (underlined) paragraph.length = 0;
    else if (line === '' || skipped) {
      if (MONEY.test(paragraph.join(' '))) paragraph.length = 0;
      if (paragraph.length > 0) break;
    } else {
      if (paragraph.length === 0) first = index + 1;
      paragraph.push(words(line));
    }
  }
  const value = MONEY.test(paragraph.join(' ')) ? '' : paragraph.join(' ').trim();
  return value === '' ? undefined : { value, line: first };
}
