import type { Node } from 'web-tree-sitter';
import type { Grammar } from './grammar.ts';

/** Lines of a file, from 1. */
export interface LocalLines {
  readonly line: number;
  readonly endLine: number;
}

const linesOf = ({ startPosition, endPosition }: Node): LocalLines => ({ line: startPosition.row + 1, endLine: endPosition.row + 1 });

/**
 * The only lines where a name can be used: those of the innermost function that has all its places, or the file that imports it. Undefined if it
 * belongs to something else, such as a property, or the grammar does not tell.
 *
 * @param places all offsets of the name, in UTF-16 units, with its declaration
 */
export function localLines(root: Node, { names, scopes }: Grammar, places: readonly number[]): LocalLines | undefined {
  const [first, last] = [places[0], places.at(-1)];
  if (scopes === undefined || first === undefined || last === undefined || root.hasError) return undefined;
  const nodes = places.map((place) => root.descendantForIndex(place, place + 1));
  if (nodes.some((node) => node === null || !names.has(node.type) || scopes.members.has(node.type))) return undefined;
  if (nodes.some((node) => scopes.imports.has(node?.parent?.type ?? ''))) return linesOf(root);
  let node = root.descendantForIndex(first, last + 1);
  // The name of a function is known around it.
  while (node !== null && (!scopes.functions.has(node.type) || node.childForFieldName('name')?.startIndex === first)) node = node.parent;
  return node === null ? undefined : linesOf(node);
}
