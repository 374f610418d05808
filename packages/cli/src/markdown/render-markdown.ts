import type { Line } from '../output/styled-line.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { MIN_WIDTH, renderBlocks } from './render-blocks.ts';
import { sourceText } from './source-text.ts';

/** Renders Markdown as lines of at most a width, in cells. */
export function renderMarkdown(source: string, width: number): Line[] {
  return renderBlocks(parseMarkdown(sourceText(source)), Math.max(MIN_WIDTH, width));
}
