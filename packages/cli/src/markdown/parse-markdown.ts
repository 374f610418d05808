import { Marked, type Token } from 'marked';

/**
 * Line ends in a paragraph stay, because models mean them. Definitions of links are text: one that comes later would change
 * what was already shown.
 */
const parser = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    def: () => undefined,
  },
});

/** Quotes in quotes, deeper than any author nests them: the parser needs quadratic time, and ends its stack. */
const TOO_DEEP = /^(?:[ \t]*>){30}/mu;

/** Parses Markdown into blocks. Their raw texts together are the whole source. */
export function parseMarkdown(source: string): readonly Token[] {
  return TOO_DEEP.test(source) ? [{ type: 'text', raw: source, text: source }] : parser.lexer(source);
}
