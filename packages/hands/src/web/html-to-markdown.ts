import TurndownService from 'turndown';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

/** The properties of an element that the conversion uses. The page is a tree in memory, without a browser or scripts. */
interface PageElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly children: Iterable<PageElement>;
  readonly parentElement: PageElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  closest(selector: string): PageElement | null;
}

/** A turndown rule for some elements. */
interface Rule {
  readonly filter: string | string[];
  readonly replacement: (content: string, node: PageElement) => string;
}

const attribute = (node: PageElement, name: string): string => node.getAttribute(name) ?? '';

/** Returns the language in the class of a highlighter: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
function codeLanguage(classes: string): string {
  return /(?:^|\s)(?:language-|lang-|highlight-(?:source-|text-)?|brush:\s*|sourceCode\s+)([\w+#.-]{1,30})/u.exec(classes)?.[1]?.toLowerCase() ?? '';
}

/** Returns a fence that is longer than any in the text, so that the text cannot close it. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}

/** Converts `<pre>` blocks with their language, which highlighters set on the block, its code or its parent. */
const codeBlock: Rule = {
  filter: 'pre',
  replacement(_content, block) {
    const code = block.querySelector('code');
    const classes = [block, code, block.parentElement].map((one) => (one === null ? '' : attribute(one, 'class')));
    const language = classes.map(codeLanguage).find((name) => name !== '') ?? attribute(block, 'data-lang');
    const text = (block.textContent ?? '').replace(/^\n|\n+$/gu, '');
    return `\n\n${fence(text)}${/^[\w+#.-]{0,30}$/u.test(language) ? language : ''}\n${text}\n${fence(text)}\n\n`;
  },
};

const cells = (row: PageElement): PageElement[] => Array.from(row.children).filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH');

/** Converts a table cell to one line. Escapes characters that would end the cell or the row. */
const tableCell: Rule = {
  filter: ['td', 'th'],
  replacement: (content) =>
    ` ${content
      .trim()
      .replaceAll('|', String.raw`\|`)
      .replace(/\s*\n\s*/gu, ' ')} |`,
};

const tableRow: Rule = {
  filter: 'tr',
  replacement(content, row) {
    const table = row.closest('table');
    if (table === null || content.trim() === '') return '';
    const isFirst = table.querySelector('tr') === row;
    const line = `\n|${content.replaceAll('\n', '')}`;
    return isFirst ? `${line}\n|${' --- |'.repeat(Math.max(1, cells(row).length))}` : line;
  },
};

const table: Rule = { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` };
const tablePart: Rule = { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content };

/** Replaces an image by its description. The image is not fetched. */
const image: Rule = {
  filter: 'img',
  replacement(_content, node) {
    const description = attribute(node, 'alt').trim().replace(/\s+/gu, ' ');
    return description === '' ? '' : `[image: ${description.slice(0, 200)}]`;
  },
};

/** Converts links that a reader can follow. Other links, such as scripts and inlined data, become their text; heading anchors are removed. */
function link(base: string): Rule {
  return {
    filter: 'a',
    replacement(content, node) {
      const given = attribute(node, 'href');
      const text = content.trim().replace(/\s*\n\s*/gu, ' ');
      if (text === '' || /^[#¶§]$/u.test(text)) return '';
      if (given === '' || given.startsWith('#') || !URL.canParse(given, base)) return text;
      const url = new URL(given, base);
      return /^https?:$/u.test(url.protocol) ? `[${text}](${url.href.replaceAll(')', '%29')})` : text;
    },
  };
}

/** Rules in addition to turndown's: code with its language, tables, and absolute links. */
const markdownRules = (base: string): Readonly<Record<string, Rule>> => ({
  codeBlock,
  tableCell,
  tableRow,
  tablePart,
  table,
  image,
  link: link(base),
});

/** The title and Markdown of a page. */
export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
}

/** Maximum number of elements. No page for readers has more, and the conversion time grows with the number. */
const MAX_ELEMENTS = 120_000;
/** Maximum nesting depth. No page by people is deeper. The time grows with the square of the depth, and every traversal needs stack. */
const MAX_DEPTH = 300;
/** Elements without an end tag, or with an optional one. Many in a row are not nested. */
const SHALLOW = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd td th tr thead tbody tfoot colgroup option optgroup rp rt'.split(
    ' ',
  ),
);
/** Minimum length of an article as a share of the page. A shorter article is a wrong guess, for example on an index or a reference. */
const MIN_SHARE = 0.4;
/** Minimum number of characters of a main part. A shorter one is filled by a script and is empty without it. */
const MIN_MAIN_CHARACTERS = 200;
/** Elements that are useless to a reader. Scripts do not run here in any case. */
const NOISE =
  'script,style,title,noscript,template,iframe,object,embed,svg,canvas,form,button,input,select,textarea,nav,footer,aside,[hidden],[aria-hidden="true"]';

/**
 * Converts a page to Markdown: its main part or the article, otherwise the whole page without navigation and the like. Runs
 * in a worker, because a hostile page takes time and memory.
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
  // The page marks its main part, so no guess is needed.
  if (main !== null && wholeMarkdown.length >= MIN_MAIN_CHARACTERS) return { title, markdown: wholeMarkdown };
  // Parse again: Readability modifies the document and needs the elements that were removed above.
  const again = parseHTML(whole(html)).document;
  for (const node of again.querySelectorAll('body title, [hidden], [aria-hidden="true"]')) node.remove();
  const article = new Readability(again, { keepClasses: true, maxElemsToParse: MAX_ELEMENTS }).parse();
  if (typeof article?.content !== 'string') return { title, markdown: wholeMarkdown };
  const read = parseHTML(whole(article.content)).document.body;
  const articleMarkdown = toMarkdown(read, url);
  return { title, markdown: articleMarkdown.length >= wholeMarkdown.length * MIN_SHARE ? articleMarkdown : wholeMarkdown };
}

/** Wraps HTML in a document. The parser would take the first element as the document; a browser would create one. */
function whole(html: string): string {
  if (/<html[\s>]/iu.test(html) && /<body[\s>]/iu.test(html)) return html;
  return `<!doctype html><html><body>${html.replace(/<(?:!doctype|\/?html|\/?body)\b[^<>]{0,500}>/giu, '')}</body></html>`;
}

/** Whether the tags are nested too deeply. Counts open tags in one pass before a tree is built. */
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
