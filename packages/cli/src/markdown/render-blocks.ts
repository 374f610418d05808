import type { Token, Tokens } from 'marked';
import type { Style } from '../output/output.ts';
import type { Line, Span } from '../output/styled-line.ts';
import { textWidth } from '../output/text-width.ts';
import { codeHead, codeLine } from './code-lines.ts';
import { fencedLines, openingFence } from './fence.ts';
import { inlineSpans, spanLines } from './inline-spans.ts';
import { renderTable } from './render-table.ts';
import { wrapSpans } from './wrap-spans.ts';

/** The widest line of prose, in cells: longer ones are hard to read. Code and tables take what there is. */
const PROSE = 100;
/** Blocks within blocks. Deeper ones are text: a hostile text could otherwise nest until the stack ends. */
const MAX_DEPTH = 12;
/** Blocks in less room are text. */
export const MIN_WIDTH = 10;

const HEADINGS: Readonly<Record<number, readonly Style[] | undefined>> = { 1: ['bold', 'underline'], 2: ['bold'] };
const OTHER_HEADINGS: readonly Style[] = ['bold', 'italic'];

function prose(tokens: readonly Token[] | undefined, width: number, styles: readonly Style[] = []): Line[] {
  return spanLines(inlineSpans(tokens, styles)).flatMap((line) => wrapSpans(line, Math.min(width, PROSE)));
}

const plainText = (text: string, width: number): Line[] =>
  text
    .replace(/\n+$/u, '')
    .split('\n')
    .flatMap((line) => wrapSpans([{ text: line }], Math.min(width, PROSE)));

/** Lines with a mark before the first, and room of the same width before the others. */
function marked(mark: Span, lines: readonly Line[]): Line[] {
  const room: Span = { text: ' '.repeat(textWidth(mark.text)) };
  return (lines.length === 0 ? [[]] : lines).map((line, index) => (index === 0 ? [mark, ...line] : line.length === 0 ? [] : [room, ...line]));
}

function list({ items, ordered, start }: Tokens.List, width: number, depth: number): Line[] {
  const first = start === '' ? 1 : start;
  const last = first + items.length - 1;
  return items.flatMap(({ tokens, task, checked, raw }, index) => {
    const number = `${first + index}.`.padStart(`${last}.`.length);
    const mark = `${ordered ? number : task ? (checked === true ? '☑' : '☐') : '•'} `;
    const inner = tokens.filter(({ type }) => type !== 'checkbox');
    const lines = marked({ text: mark, styles: ordered ? [] : ['dim'] }, renderBlocks(inner, width - textWidth(mark), depth + 1));
    return index < items.length - 1 && /\n[ \t]*\n$/u.test(raw) ? [...lines, []] : lines;
  });
}

function block(token: Token, width: number, depth: number): Line[] {
  if (depth >= MAX_DEPTH || width < MIN_WIDTH) return plainText(token.raw, width);
  switch (token.type) {
    case 'heading':
      return prose(token.tokens, width, HEADINGS[Number(token['depth'])] ?? OTHER_HEADINGS);
    case 'code': {
      const fence = openingFence(token.raw);
      if (fence === undefined)
        return String(token['text'])
          .split('\n')
          .flatMap((line) => codeLine(line, '', width));
      return [...codeHead(fence.language), ...fencedLines(token.raw, fence).flatMap((line) => codeLine(line, fence.language, width))];
    }
    case 'blockquote':
      return renderBlocks(token.tokens ?? [], width - 2, depth + 1).map((line) => [{ text: '│ ', styles: ['dim'] }, ...line]);
    case 'list':
      return list(token as Tokens.List, width, depth);
    case 'table':
      return renderTable(token as Tokens.Table, width);
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(width, 40)), styles: ['dim'] }]];
    case 'html':
      return plainText(token.raw, width);
    case 'space':
      return [];
    default:
      return 'tokens' in token && token.tokens !== undefined ? prose(token.tokens, width) : plainText(token.raw, width);
  }
}

/** Whether a text ends with an empty line. */
export const endsEmpty = (raw: string): boolean => /\n[ \t]*\n[ \t\n]*$/u.test(raw);

/**
 * Renders blocks. Between two of them is an empty line where the source has one.
 *
 * @param before the source before these blocks; undefined where no line was shown before
 */
export function renderBlocks(tokens: readonly Token[], width: number, depth = 0, before?: string): Line[] {
  const lines: Line[] = [];
  let source = before?.slice(-200) ?? '';
  for (const token of tokens) {
    const rendered = block(token, width, depth);
    if (rendered.length > 0 && endsEmpty(source) && (lines.length > 0 || before !== undefined)) lines.push([]);
    lines.push(...rendered);
    source = (source + token.raw).slice(-200);
  }
  return lines;
}
