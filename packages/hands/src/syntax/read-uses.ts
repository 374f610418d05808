import type { Node } from 'web-tree-sitter';
import type { Grammar } from './grammar.ts';

/** A place where a name stands as a word. */
export interface NameUse {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 0, in UTF-16 units. */
  readonly column: number;
  /** What it is there. */
  readonly as: 'code' | 'string' | 'comment';
}

/** Maximum number of places in one file. */
const MAX_USES = 5_000;
/** Maximum number of nodes above a place that are looked at. */
const MAX_ABOVE = 40;

const WORD = String.raw`[\p{L}\p{N}_$]`;

/** Returns a pattern for a name as a whole word. */
export function wordPattern(name: string): RegExp {
  return new RegExp(String.raw`(?<!${WORD})${RegExp.escape(name)}(?!${WORD})`, 'gu');
}

function useAt(root: Node, start: number, end: number, names: ReadonlySet<string>): NameUse['as'] {
  let node: Node | null = root.descendantForIndex(start, end);
  if (node !== null && names.has(node.type) && node.endIndex - node.startIndex <= end - start + 1) return 'code';
  for (let above = 0; node !== null && above < MAX_ABOVE; above += 1) {
    if (node.type.includes('comment')) return 'comment';
    // Code inside a template is code.
    if (/substitution|interpolation/u.test(node.type)) return 'code';
    if (/string|template|char_literal|heredoc|regex/u.test(node.type)) return 'string';
    node = node.parent;
  }
  return 'code';
}

/** Finds a name in a text. What is no name in the tree, nor part of a string or a comment, counts as code. */
export function readUses(text: string, root: Node, { names }: Grammar, name: string): NameUse[] {
  const uses: NameUse[] = [];
  let line = 1;
  let lineStart = 0;
  for (const { index } of text.matchAll(wordPattern(name))) {
    for (let newline = text.indexOf('\n', lineStart); newline !== -1 && newline < index; newline = text.indexOf('\n', lineStart)) {
      line += 1;
      lineStart = newline + 1;
    }
    uses.push({ line, column: index - lineStart, as: useAt(root, index, index + name.length, names) });
    if (uses.length >= MAX_USES) break;
  }
  return uses;
}
