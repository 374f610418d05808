/** A block of a report. Markup is not supported and is shown as text. */
export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly (readonly Block[])[] }
  | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'rule' };

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
const RULE = /^ {0,3}(?:-\s*){3,}$|^ {0,3}(?:\*\s*){3,}$|^ {0,3}(?:_\s*){3,}$/u;
const ITEM = /^( {0,8})(?:([-*+])|(\d{1,9})[.)])(\s+)(.*)$/u;
const QUOTE = /^ {0,3}> ?/u;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u;
const MAX_DEPTH = 8;

const isBlank = (line: string): boolean => line.trim() === '';

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/gu, '')
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}

/** Parses lines of Markdown sequentially. */
class Reader {
  readonly #lines: readonly string[];
  readonly #depth: number;
  #at = 0;

  constructor(lines: readonly string[], depth: number) {
    this.#lines = lines;
    this.#depth = depth;
  }

  get #line(): string {
    return this.#lines[this.#at] ?? '';
  }

  blocks(): Block[] {
    const blocks: Block[] = [];
    while (this.#at < this.#lines.length) {
      if (isBlank(this.#line)) this.#at += 1;
      else blocks.push(this.#block());
    }
    return blocks;
  }

  #block(): Block {
    const heading = HEADING.exec(this.#line);
    if (heading !== null) {
      this.#at += 1;
      return { type: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' };
    }
    const fence = FENCE.exec(this.#line)?.[1];
    if (fence !== undefined) return this.#code(fence);
    if (RULE.test(this.#line)) {
      this.#at += 1;
      return { type: 'rule' };
    }
    if (this.#depth < MAX_DEPTH && QUOTE.test(this.#line)) return this.#quote();
    if (this.#depth < MAX_DEPTH && ITEM.test(this.#line)) return this.#list();
    if (this.#line.includes('|') && DIVIDER.test(this.#lines[this.#at + 1] ?? '')) return this.#table();
    return this.#paragraph();
  }

  #code(fence: string): Block {
    const start = (this.#at += 1);
    while (this.#at < this.#lines.length && !this.#line.trim().startsWith(fence)) this.#at += 1;
    const text = this.#lines.slice(start, this.#at).join('\n');
    this.#at += 1;
    return { type: 'code', text };
  }

  #quote(): Block {
    const lines: string[] = [];
    for (; this.#at < this.#lines.length && QUOTE.test(this.#line); this.#at += 1) lines.push(this.#line.replace(QUOTE, ''));
    return { type: 'quote', blocks: parseBlocks(lines, this.#depth + 1) };
  }

  #list(): Block {
    const [, , bullet, number] = ITEM.exec(this.#line) ?? [];
    const items: (readonly Block[])[] = [];
    for (;;) {
      const item = ITEM.exec(this.#line);
      if (item === null || (item[2] === undefined) !== (bullet === undefined)) break;
      const [, indent = '', mark, digits = '', space = '', text = ''] = item;
      const width = indent.length + (mark === undefined ? digits.length + 1 : 1) + Math.min(space.length, 4);
      const lines = [text];
      this.#at += 1;
      while (this.#at < this.#lines.length && this.#belongs(width)) {
        lines.push(this.#line.slice(Math.min(width, /^\s*/u.exec(this.#line)?.[0].length ?? 0)));
        this.#at += 1;
      }
      items.push(parseBlocks(lines, this.#depth + 1));
    }
    return { type: 'list', ordered: bullet === undefined, start: Number(number ?? 1), items };
  }

  /** Whether the line continues an item: it is indented, or follows its text directly. */
  #belongs(width: number): boolean {
    const line = this.#line;
    const indent = /^\s*/u.exec(line)?.[0].length ?? 0;
    if (isBlank(line)) return (/^\s*/u.exec(this.#lines[this.#at + 1] ?? '')?.[0].length ?? 0) >= width && !isBlank(this.#lines[this.#at + 1] ?? '');
    if (indent >= width) return true;
    return !isBlank(this.#lines[this.#at - 1] ?? '') && ![ITEM, HEADING, FENCE, QUOTE, RULE].some((pattern) => pattern.test(line));
  }

  #table(): Block {
    const head = cells(this.#line);
    this.#at += 2;
    const rows: string[][] = [];
    for (; this.#at < this.#lines.length && this.#line.includes('|'); this.#at += 1) rows.push(cells(this.#line));
    return { type: 'table', head, rows };
  }

  #paragraph(): Block {
    const start = this.#at;
    this.#at += 1;
    while (
      this.#at < this.#lines.length &&
      !isBlank(this.#line) &&
      ![HEADING, FENCE, QUOTE, ITEM, RULE].some((pattern) => pattern.test(this.#line))
    ) {
      this.#at += 1;
    }
    return { type: 'paragraph', text: this.#lines.slice(start, this.#at).join('\n') };
  }
}

/** Parses Markdown. Never throws: anything unknown is a paragraph. */
export function parseBlocks(lines: readonly string[], depth = 0): readonly Block[] {
  return new Reader(lines, depth).blocks();
}
