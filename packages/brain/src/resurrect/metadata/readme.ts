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

const HEADING = /^(?:#{1,6}|=+)\s+(.*)$/u;
const MARKED = /^(?:#{1,6}|=+)\s/u;
/** A line that makes the one above it a heading. */
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,})$/u;

const withoutQuote = (line: string): string => line.trim().replace(/^>\s?/u, '');

/** The index of the first line after the front matter. */
function bodyStart(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && withoutQuote(line) === '---');
  return end === -1 ? lines.length : end + 1;
}

/** What the lines of a README are inside of: code, a comment, or a section about money. */
class Surroundings {
  #isCode = false;
  #isComment = false;
  #isMoney = false;

  /** Goes on to the next line. Returns whether it is prose. @param heading its text, if it is one */
  enter(line: string, heading: string | undefined): boolean {
    const isFence = /^(?:```|~~~)/u.test(line);
    if (isFence) this.#isCode = !this.#isCode;
    if (line.startsWith('<!--')) this.#isComment = true;
    if (heading !== undefined && !this.#isCode && !this.#isComment) this.#isMoney = isAboutMoney(heading);
    const isInside = this.#isMoney || this.#isCode || isFence || this.#isComment;
    if (line.includes('-->')) this.#isComment = false;
    return !isInside && !DECORATION.test(line) && !MARKED.test(line);
  }
}

/** The heading that a line is, also one that is underlined; undefined if it is none. */
const headingOf = (line: string, next: string | undefined, isFirst: boolean): string | undefined =>
  isFirst && line !== '' && UNDERLINE.test(next?.trim() ?? '') ? line : HEADING.exec(line)?.[1];

/** Returns the first prose paragraph of a README that is about the project, with its first line. */
export function firstParagraph(text: string): Fact | undefined {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  const surroundings = new Surroundings();
  const paragraph: string[] = [];
  let first = 0;
  for (let index = bodyStart(lines); index < lines.length; index += 1) {
    const line = withoutQuote(lines[index] ?? '');
    const isProse = surroundings.enter(line, headingOf(line, lines[index + 1], paragraph.length === 0));
    // The previous line was a heading, underlined with = or -.
    if (paragraph.length === 1 && /^(?:=+|-+|~+)$/u.test(line)) paragraph.length = 0;
    else if (line !== '' && isProse) {
      if (paragraph.length === 0) first = index + 1;
      paragraph.push(words(line));
    } else {
      if (MONEY.test(paragraph.join(' '))) paragraph.length = 0;
      if (paragraph.length > 0) break;
    }
  }
  const value = MONEY.test(paragraph.join(' ')) ? '' : paragraph.join(' ').trim();
  return value === '' ? undefined : { value, line: first };
}
