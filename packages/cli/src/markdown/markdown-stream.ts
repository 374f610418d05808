import type { Token } from 'marked';
import type { Line } from '../output/styled-line.ts';
import { codeHead, codeLine } from './code-lines.ts';
import { closesFence, openingFence, withoutIndent, type Fence } from './fence.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { endsEmpty, MIN_WIDTH, renderBlocks } from './render-blocks.ts';
import { sourceText } from './source-text.ts';
import type { TextView } from './text-view.ts';

/** Characters of a block that may still change. A longer one is shown in parts. */
const MAX_BLOCK = 12_000;
/** How much a block grows until it is parsed again: with each line, the work would be quadratic. */
const GROWTH = 1.2;
/** Lines of one block that look like the beginning of code, and are looked at at once. */
const MAX_FENCES = 40;
/** Characters of an unfinished block that is parsed again with each word. Of a longer one, only the last line is shown. */
const MAX_LIVE = 6_000;
/** Characters of the source before a block that decide whether an empty line precedes it. */
const BEFORE = 8;

const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('');

/**
 * Renders Markdown that arrives in parts. A block is final when the next one has begun; lines of a block of code are final at
 * once. The same lines come out as when the whole is rendered, however it is cut.
 */
export class MarkdownStream implements TextView {
  readonly #width: number;
  /** The end of the source that is shown. */
  #before = '';
  /** Whether a line is shown: an empty one comes only after another. */
  #hasLines = false;
  /** Complete lines that may still change. */
  #open = '';
  #line = '';
  #fence: Fence | undefined;
  /** The empty line before a block of code that has no lines yet. */
  #gap: readonly Line[] = [];
  #nextParse = 0;
  #fences = 0;
  /** What {@link live} returns, until more text comes: it is asked for with each picture of the screen. */
  #live: Line[] | undefined;

  /** @param width in cells */
  constructor(width: number) {
    this.#width = Math.max(MIN_WIDTH, width);
  }

  push(text: string): Line[] {
    this.#live = undefined;
    const given = this.#line + text;
    // The other half of a line end may follow.
    const whole = given.endsWith('\r') ? given.slice(0, -1) : given;
    const lines = sourceText(whole).split('\n');
    this.#line = (lines.pop() ?? '') + given.slice(whole.length);
    return lines.flatMap((line) => this.#add(`${line}\n`));
  }

  live(): Line[] {
    return (this.#live ??= this.#unfinished());
  }

  #unfinished(): Line[] {
    const line = sourceText(this.#line);
    if (this.#fence !== undefined) return line === '' ? [] : [...this.#gap, ...this.#code(line.slice(-MAX_LIVE))];
    const source = this.#open + line;
    return source.length <= MAX_LIVE ? this.#blocks(parseMarkdown(source)) : this.#blocks(parseMarkdown(line.slice(-MAX_LIVE)));
  }

  end(): Line[] {
    this.#live = undefined;
    const rest = sourceText(this.#line);
    this.#line = '';
    const lines = rest === '' ? [] : this.#fence === undefined ? ((this.#open += rest), []) : this.#add(rest);
    return [...lines, ...this.#show(parseMarkdown(this.#open))];
  }

  #add(line: string): Line[] {
    if (this.#fence !== undefined) {
      this.#passed(line);
      if (!closesFence(line.replace(/\n$/u, ''), this.#fence)) return this.#afterGap(this.#code(line.replace(/\n$/u, '')));
      this.#fence = undefined;
      return [];
    }
    this.#open += line;
    const mayOpen = this.#fences < MAX_FENCES && openingFence(line) !== undefined;
    if (mayOpen) this.#fences += 1;
    else if (this.#open.length < this.#nextParse && this.#open.length <= MAX_BLOCK) return [];
    const tokens = parseMarkdown(this.#open);
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    const token = tokens[last];
    if (token === undefined) return [];
    const fence = token.type === 'code' && token.raw === line ? openingFence(line) : undefined;
    if (fence !== undefined) return this.#openFence(tokens.slice(0, last), token, fence);
    const lines = this.#show(this.#open.length > MAX_BLOCK ? tokens : tokens.slice(0, last));
    this.#nextParse = this.#open.length * GROWTH;
    return lines;
  }

  #openFence(before: readonly Token[], { raw }: Token, fence: Fence): Line[] {
    const lines = this.#show(before);
    this.#gap = this.#hasLines && endsEmpty(this.#before) ? [[]] : [];
    this.#open = '';
    this.#nextParse = 0;
    this.#passed(raw);
    this.#fence = fence;
    return [...lines, ...this.#afterGap(codeHead(fence.language))];
  }

  #afterGap(lines: readonly Line[]): Line[] {
    if (lines.length === 0) return [];
    const gap = this.#gap;
    this.#gap = [];
    this.#hasLines = true;
    return [...gap, ...lines];
  }

  #code(line: string): Line[] {
    const { language = '' } = this.#fence ?? {};
    return codeLine(this.#fence === undefined ? line : withoutIndent(line, this.#fence), language, this.#width);
  }

  #blocks(tokens: readonly Token[]): Line[] {
    return renderBlocks(tokens, this.#width, 0, this.#hasLines ? this.#before : undefined);
  }

  /** Makes blocks at the beginning of what is open final. */
  #show(tokens: readonly Token[]): Line[] {
    const lines = this.#blocks(tokens);
    this.#hasLines ||= lines.length > 0;
    const raw = rawOf(tokens);
    if (raw !== '') this.#fences = 0;
    this.#open = this.#open.slice(raw.length);
    this.#passed(raw);
    return lines;
  }

  #passed(raw: string): void {
    this.#before = (this.#before + raw).replace(/[ \t\n]*\n[ \t]*\n[ \t\n]*$/u, '\n\n').slice(-BEFORE);
  }
}
