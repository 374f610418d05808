import type { PageElement } from './page-element.ts';

/** How Markdown is written for some elements, as turndown takes it. */
interface Rule {
  readonly filter: string | string[];
  readonly replacement: (content: string, node: PageElement) => string;
}

const attribute = (node: PageElement, name: string): string => node.getAttribute(name) ?? '';

/** The language that highlighters leave in a class: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
export function codeLanguage(classes: string): string {
  return /(?:^|\s)(?:language-|lang-|highlight-(?:source-|text-)?|brush:\s*|sourceCode\s+)([\w+#.-]{1,30})/u.exec(classes)?.[1]?.toLowerCase() ?? '';
}

/** A fence that is longer than any in the text, so that the text cannot end it. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}

/** Whole `<pre>` blocks with their language, which highlighters set on the block, its code or its frame. */
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

/** Cells are one line each: what would end a cell or a row is written another way. */
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

/** A picture is its description; what it shows is not fetched. */
const image: Rule = {
  filter: 'img',
  replacement(_content, node) {
    const description = attribute(node, 'alt').trim().replace(/\s+/gu, ' ');
    return description === '' ? '' : `[image: ${description.slice(0, 200)}]`;
  },
};

/** Links that a reader can follow; anchors in front of headings, scripts and inlined data are their text. */
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

/** What Markdown has words for beyond the plain rules: code with its language, tables, links that lead somewhere. */
export const markdownRules = (base: string): Readonly<Record<string, Rule>> => ({
  codeBlock,
  tableCell,
  tableRow,
  tablePart,
  table,
  image,
  link: link(base),
});
