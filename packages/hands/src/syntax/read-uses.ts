import type { Node } from 'web-tree-sitter';
import type { Grammar } from './grammar.ts';

/** A place where a name occurs as a word. */
export interface NameUse {
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 0, in UTF-16 units. */
  readonly column: number;
  /** What it is there. */
  readonly as: 'code' | 'string' | 'comment';
  /** Where it is in the definition of a macro, whose text is code only where the macro is used. */
  readonly inMacro?: 'text' | 'parameter';
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

/** Whether a place in the text of a macro is the name of one of its parameters. */
function isParameter(text: Node, name: string): boolean {
  const parameters = text.parent?.childForFieldName('parameters');
  return parameters?.namedChildren.some((one) => one?.text === name) === true;
}

function useAt(root: Node, start: number, end: number, { names }: Grammar): Pick<NameUse, 'as' | 'inMacro'> {
  const node = root.descendantForIndex(start, end);
  if (node?.parent?.type === 'preproc_params') return { as: 'code', inMacro: 'parameter' };
  if (node !== null && names.has(node.type) && node.endIndex - node.startIndex <= end - start + 1) return { as: 'code' };
  const as = kindOf(node);
  if (as !== 'code' || node?.type !== 'preproc_arg') return { as };
  const name = node.text.slice(start - node.startIndex, end - node.startIndex);
  return { as, inMacro: isParameter(node, name) ? 'parameter' : 'text' };
}

/** What a word is in a directive to the preprocessor, by what is before it: the directive itself, or a word of the message of one. */
function inDirective(before: string): 'directive' | 'message' | undefined {
  if (/^\s*#\s*$/u.test(before)) return 'directive';
  return /^\s*#\s*(?:error|warning)\b/u.test(before) ? 'message' : undefined;
}

/** Whether a word is one of the language there, such as `catch` in a statement and `number` as a type, and no name. */
function isKeyword(node: Node | null, name: string): boolean {
  if (node?.text !== name || node.parent?.hasError === true) return false;
  return !node.isNamed || node.type === 'predefined_type' || node.parent?.type === 'predefined_type';
}

function kindOf(innermost: Node | null): NameUse['as'] {
  let node = innermost;
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
export function readUses(text: string, root: Node, grammar: Grammar, name: string): NameUse[] {
  const uses: NameUse[] = [];
  let line = 1;
  let lineStart = 0;
  for (const { index } of text.matchAll(wordPattern(name))) {
    for (let newline = text.indexOf('\n', lineStart); newline !== -1 && newline < index; newline = text.indexOf('\n', lineStart)) {
      line += 1;
      lineStart = newline + 1;
    }
    // A line that goes on is part of the one before, such as of a macro that makes a text of a parameter.
    const isWhole = !/\\\r?\n$/u.test(text.slice(Math.max(0, lineStart - 3), lineStart));
    const directive = grammar.hasDirectives === true && isWhole ? inDirective(text.slice(lineStart, index)) : undefined;
    if (directive === 'directive') continue;
    if (directive === 'message') {
      const isComment = kindOf(root.descendantForIndex(index, index + name.length)) === 'comment';
      uses.push({ line, column: index - lineStart, as: isComment ? 'comment' : 'string' });
      continue;
    }
    if (isKeyword(root.descendantForIndex(index, index + name.length), name)) continue;
    uses.push({ line, column: index - lineStart, ...useAt(root, index, index + name.length, grammar) });
    if (uses.length >= MAX_USES) break;
  }
  return uses;
}
