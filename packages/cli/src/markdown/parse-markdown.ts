import { Lexer, Marked, type Token, type TokensList } from 'marked';

/**
 * Line ends in a paragraph stay, because models mean them. Definitions of links are text: one that comes later would change
 * what was already shown.
 */
const { defaults } = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    def: () => undefined,
  },
});

/** Blocks within blocks, deeper than any author nests them: the parser calls itself for each. */
const MAX_DEPTH = 16;
/** Marks of one text, such as stars and brackets: the parser compares each with all that follow. */
const MAX_MARKS = 400;
const MARKS = /[*_~`[<!]/gu;

/** A parser whose work and stack are bounded: what is deeper, or has more marks, is text. */
class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#depth >= MAX_DEPTH) return withText(tokens, src);
    this.#depth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return (src.match(MARKS)?.length ?? 0) > MAX_MARKS ? withText(tokens, src) : super.inlineTokens(src, tokens);
  }
}

function withText(tokens: Token[], text: string): Token[] {
  tokens.push({ type: 'text', raw: text, text });
  return tokens;
}

/** Parses Markdown into blocks. Their raw texts together are the whole source. */
export function parseMarkdown(source: string): readonly Token[] {
  return new BoundedLexer(defaults).lex(source);
}
