import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { markdownRules } from './markdown-rules.ts';
import type { PageElement } from './page-element.ts';

/** HTML as Markdown. */
export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
}

/** More elements than any page that people read has; the time of what follows grows with them. */
const MAX_ELEMENTS = 120_000;
/** Deeper than any page that people write; a tree so deep costs time by its square, and every walk of it a stack. */
const MAX_DEPTH = 300;
/** Elements without an end, or with one that is often left out: many of these in a row are no depth. */
const SHALLOW = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd td th tr thead tbody tfoot colgroup option optgroup rp rt'.split(
    ' ',
  ),
);
/** An article that holds less of the page than this, and is short, is a guess that went wrong: an index, a reference. */
const MIN_SHARE = 0.4;
/** A shorter main part is filled by a script, and empty without one. */
const MIN_MAIN_CHARACTERS = 200;
/** Of no use to a reader; scripts do not run here in any case. */
const NOISE =
  'script,style,title,noscript,template,iframe,object,embed,svg,canvas,form,button,input,select,textarea,nav,footer,aside,[hidden],[aria-hidden="true"]';

/**
 * Turns a page into Markdown: the article, where one stands out, or else all of it without what surrounds it. Meant to
 * run in a worker: a hostile page takes time and memory.
 */
export function htmlToMarkdown(html: string, url: string): MarkdownPage {
  if (isTooDeep(html)) throw new RangeError('too deep');
  const { document } = parseHTML(whole(html));
  if (document.getElementsByTagName('*').length > MAX_ELEMENTS) throw new RangeError('too many elements');
  const title = (document.querySelector('title')?.textContent ?? '').trim().replace(/\s+/gu, ' ').slice(0, 300);
  for (const node of document.querySelectorAll(NOISE)) node.remove();
  const main = document.querySelector('main, [role="main"]');
  const root = main ?? document.body ?? document.documentElement;
  if (root === null) return { title, markdown: '' };
  const wholeMarkdown = toMarkdown(root, url);
  // Where the page itself says which part of it matters, there is nothing to guess.
  if (main !== null && wholeMarkdown.length >= MIN_MAIN_CHARACTERS) return { title, markdown: wholeMarkdown };
  // From the beginning: what reads articles marks and moves what it looks at, and looks at more than what is left.
  const again = parseHTML(whole(html)).document;
  for (const node of again.querySelectorAll('body title, [hidden], [aria-hidden="true"]')) node.remove();
  const article = new Readability(again, { keepClasses: true, maxElemsToParse: MAX_ELEMENTS }).parse();
  if (typeof article?.content !== 'string') return { title, markdown: wholeMarkdown };
  const read = parseHTML(whole(article.content)).document.body;
  const articleMarkdown = toMarkdown(read, url);
  return { title, markdown: articleMarkdown.length >= wholeMarkdown.length * MIN_SHARE ? articleMarkdown : wholeMarkdown };
}

/** The parser takes the first element for the whole document; a browser would make one around it. */
function whole(html: string): string {
  if (/<html[\s>]/iu.test(html) && /<body[\s>]/iu.test(html)) return html;
  return `<!doctype html><html><body>${html.replace(/<(?:!doctype|\/?html|\/?body)\b[^<>]{0,500}>/giu, '')}</body></html>`;
}

/** Counts in one pass what is open, before anything is built of it. */
function isTooDeep(html: string): boolean {
  let depth = 0;
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z\d]{0,15})/giu)) {
    if (SHALLOW.has(name.toLowerCase())) continue;
    depth = end === '/' ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function toMarkdown(node: PageElement, url: string): string {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*', hr: '---' });
  for (const [name, rule] of Object.entries(markdownRules(url))) service.addRule(name, rule);
  const markdown = service.turndown(node as TurndownService.Node);
  return `${markdown
    .replace(/[ \t]+$/gmu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim()}\n`;
}
