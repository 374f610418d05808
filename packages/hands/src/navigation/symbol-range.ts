import { groupSymbols, matchSymbols } from '../syntax/match-symbols.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { needSyntax, readSource } from './source.ts';
import { ambiguous, symbolNotFound } from './symbol-errors.ts';

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
  const groups = groupSymbols(matchSymbols(symbols, wanted), symbols);
  const [group] = groups;
  if (group === undefined) throw symbolNotFound(source.path, wanted, symbols);
  if (groups.length > 1)
    throw ambiguous(
      wanted,
      groups.map((one) => ({ path: source.path, group: one })),
    );
  return { offset: group.line, limit: group.endLine - group.line + 1, symbol: group.first.path };
}
