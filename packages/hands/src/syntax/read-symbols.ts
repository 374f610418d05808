import type { Node } from 'web-tree-sitter';
import { CONTAINERS, type Grammar, type SymbolKind } from './grammar.ts';
import { type Declared, declaredNames, type DeclaredName } from './declared-names.ts';
import { moduleBodies } from './script-values.ts';

/** A declaration. */
export interface CodeSymbol {
  readonly name: string;
  /** With the names around it: `Class.method`. */
  readonly path: string;
  readonly kind: SymbolKind;
  /** First and last line of the declaration, from 1. */
  readonly line: number;
  readonly endLine: number;
  /** Where its name stands: line from 1, column from 0 in UTF-16 units. */
  readonly nameLine: number;
  readonly nameColumn: number;
  /** Number of symbols around it. */
  readonly depth: number;
}

/** Maximum number of symbols of one file. */
export const MAX_SYMBOLS = 20_000;
/** Maximum depth of nodes. Real code has less than ten containers in each other. */
const MAX_DEPTH = 60;

interface Around {
  readonly path: string;
  readonly depth: number;
  readonly inClass: boolean;
}

/** What is around the members of what a node declares: of something that is declared elsewhere, its path. */
function aroundMembers(around: Around, { inside }: Declared): Around {
  if (inside === undefined) return around;
  return { path: around.path === '' ? inside : `${around.path}.${inside}`, depth: around.depth, inClass: true };
}

/** Node types before a declaration that belong to it. */
const PREFIXES = /^(?:attribute_item|decorator|annotation)$/u;

/** The line where a declaration starts, with its attributes. */
function startLine(node: Node): number {
  let first = node;
  for (let before = node.previousNamedSibling; before !== null && PREFIXES.test(before.type); before = before.previousNamedSibling) first = before;
  return first.startPosition.row + 1;
}

/** The last line of a node; one that ends at the start of a line ends on the line before. */
function endLine({ endPosition, startPosition }: Node): number {
  return endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1;
}

/** Reads the declarations of a file. Does not enter the bodies of functions. */
export function readSymbols(root: Node, grammar: Grammar): CodeSymbol[] {
  const symbols: CodeSymbol[] = [];
  const add = ({ name, kind, at }: DeclaredName, outer: Node, { path, depth, inClass }: Around): Around => {
    const own = inClass && kind === 'function' ? 'method' : kind;
    const full = path === '' ? name : `${path}.${name}`;
    symbols.push({
      // A computed name such as [Symbol.iterator] is one name.
      name: name.startsWith('[') ? name : name.slice(name.lastIndexOf('.') + 1),
      path: full,
      kind: own,
      line: startLine(outer),
      endLine: endLine(outer),
      nameLine: at.startPosition.row + 1,
      nameColumn: at.startPosition.column,
      depth,
    });
    return { path: full, depth: depth + 1, inClass: CONTAINERS.has(own) && own !== 'module' };
  };
  const visit = (nodes: readonly Node[], around: Around, outer: Node | undefined, level: number): void => {
    for (const child of nodes) {
      if (level > MAX_DEPTH || symbols.length >= MAX_SYMBOLS) return;
      const kind = Object.hasOwn(grammar.symbols, child.type) ? grammar.symbols[child.type] : undefined;
      const declared = kind === undefined ? undefined : declaredNames(child, kind);
      const range = outer ?? child;
      if (declared === undefined) {
        enter(child, around, range, level + 1);
        continue;
      }
      let below = aroundMembers(around, declared);
      for (const one of declared.names) below = add(one, declared.names.length > 1 ? child : range, around);
      if (declared.body !== undefined) visit(declared.body.namedChildren, below, undefined, level + 1);
      // `typedef struct X { … } Y`: what is inside belongs to both.
      if (declared.beside !== undefined) visit([declared.beside], around, range, level + 1);
    }
  };
  const enter = (node: Node, around: Around, range: Node, level: number): void => {
    // `export class X` starts at `export`; the declarations of a list have their own lines.
    if (grammar.through.has(node.type)) visit(node.namedChildren, around, WRAPPERS.has(node.type) ? range : undefined, level);
    for (const body of moduleBodies(node)) visit(body.namedChildren, around, undefined, level);
  };
  visit(root.namedChildren, { path: '', depth: 0, inClass: false }, undefined, 0);
  return symbols;
}

/** Node types around one declaration that are part of it. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'export_statement',
  'ambient_declaration',
  'lexical_declaration',
  'variable_declaration',
  'expression_statement',
  'decorated_definition',
  'template_declaration',
  'field_declaration',
  'constant_declaration',
]);
