import { groupSymbols, matchSymbols } from '../syntax/match-symbols.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { needSyntax, readSource } from './source.ts';
import { ambiguous, symbolNotFound } from './symbol-errors.ts';
import { withoutPrototypes } from './without-prototypes.ts';

/** The lines of a declaration. */
export interface SymbolRange {
  readonly offset: number;
  readonly limit: number;
  /** The path of the symbol, such as `Class.method`. */
  readonly symbol: string;
}

/** Finds the lines of a symbol in an open file. */
export async function symbolRange(file: OpenFile, wanted: string): Promise<SymbolRange> {
  const source = await readSource(file);
  using syntax = await needSyntax(source);
  const symbols = syntax.symbols();
  const { path, lines } = source;
  const meant = withoutPrototypes(groupSymbols(matchSymbols(symbols, wanted), symbols).map((group) => ({ path, lines, group })));
  const group = meant[0]?.group;
  if (group === undefined) throw symbolNotFound(source.path, wanted, syntax);
  if (meant.length > 1) throw ambiguous(wanted, meant);
  return { offset: group.line, limit: group.endLine - group.line + 1, symbol: group.first.path };
}
