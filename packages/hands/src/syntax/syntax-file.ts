import type { Node, Parser, Tree } from 'web-tree-sitter';
import type { Grammar } from './grammar.ts';
import { parserFor } from './load-grammar.ts';
import { type LocalLines, localLines } from './local-lines.ts';
import { withoutNewerWords } from './newer-syntax.ts';
import { type CodeSymbol, readSymbols } from './read-symbols.ts';
import { type NameUse, readUses } from './read-uses.ts';

/** Maximum length of a text that is parsed, in characters. Larger files are data or generated: 2 MB take about 0.7 s. */
export const MAX_PARSED_CHARACTERS = 2_000_000;
/**
 * Milliseconds of computing for one file. A text that is made to be slow must not hold up the process. A clock would also count the
 * time that other processes have the cores, and then refuse a file of seven lines on a busy machine.
 */
const MAX_PARSE_MS = 1_500;

/** The syntax of one file. Dispose it: its tree is outside the memory of JavaScript. */
export interface SyntaxFile extends Disposable {
  /** Whether the text has a syntax error, as far as the grammar knows. */
  readonly hasError: boolean;
  /** Declarations in order of their place. */
  symbols(): readonly CodeSymbol[];
  /** Where a name occurs in the text as a word. */
  usesOf(name: string): readonly NameUse[];
  /** Whether a part of the text is one piece of code: a node, several in a row, or within a word or string. */
  isPiece(start: number, end: number): 'one' | 'several' | undefined;
  /** The only lines where a name can be used that stands at all of these places; undefined if that is not certain. */
  localLines(places: readonly number[]): LocalLines | undefined;
}

/** Returns whether the limit is over. The clock is asked first: it takes 0.05 µs, and the time of computing 0.8 µs. */
function limit(): () => boolean {
  const end = performance.now() + MAX_PARSE_MS;
  const start = process.cpuUsage();
  return () => {
    if (performance.now() <= end) return false;
    const { user, system } = process.cpuUsage(start);
    return user + system > MAX_PARSE_MS * 1_000;
  };
}

/** Parses a text; undefined if that takes too long. */
function parseWith(parser: Parser, text: string, { hasNewerWords }: Grammar): Tree | undefined {
  const progressCallback = limit();
  // Declarations of Go and directives of C end with a line: without its end, the last one would be an error.
  const parse = (whole: string): Tree | undefined =>
    parser.parse(whole.endsWith('\n') ? whole : `${whole}\n`, undefined, { progressCallback }) ?? undefined;
  const tree = parse(text);
  if (hasNewerWords !== true || tree?.rootNode.hasError !== true) return tree;
  const known = withoutNewerWords(text);
  const other = known === text ? undefined : parse(known);
  const isBetter = other?.rootNode.hasError === false;
  (isBetter ? tree : other)?.delete();
  return isBetter ? other : tree;
}

function pieceOf(root: Node, start: number, end: number): 'one' | 'several' | undefined {
  const around = root.descendantForIndex(start, end);
  if (around === null || around.childCount === 0 || (around.startIndex === start && around.endIndex === end)) return 'one';
  const inside = around.children.filter((child) => child.startIndex >= start && child.endIndex <= end);
  return inside[0]?.startIndex === start && inside.at(-1)?.endIndex === end ? 'several' : undefined;
}

/** Parses a text; undefined if it is too large, or takes too long. */
export async function parseSyntax(text: string, grammar: Grammar): Promise<SyntaxFile | undefined> {
  if (text.length > MAX_PARSED_CHARACTERS) return undefined;
  const parser = await parserFor(grammar.name);
  let tree: Tree | undefined;
  try {
    tree = parseWith(parser, text, grammar);
  } finally {
    parser.delete();
  }
  if (tree === undefined) return undefined;
  const parsed = tree;
  let symbols: readonly CodeSymbol[] | undefined;
  return {
    hasError: parsed.rootNode.hasError,
    symbols: () => (symbols ??= readSymbols(parsed.rootNode, grammar)),
    usesOf: (name) => readUses(text, parsed.rootNode, grammar, name),
    isPiece: (start, end) => pieceOf(parsed.rootNode, start, end),
    localLines: (places) => localLines(parsed.rootNode, grammar, places),
    [Symbol.dispose]: () => parsed.delete(),
  };
}
