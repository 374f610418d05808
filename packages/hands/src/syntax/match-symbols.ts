import { nearest } from '../text/nearest.ts';
import type { CodeSymbol } from './read-symbols.ts';

/** What separates the names of a path of symbols: `Class.method`, `Type::name`, `Class#method`, `Class/method`. */
const SEPARATORS = /::|->|[.#/\\]/gu;

/** The names of a path of symbols. Arguments in brackets do not count. */
export function namesOf(symbol: string): string[] {
  return symbol
    .trim()
    .replace(/\(.*$/su, '')
    .replaceAll(/<[^<>]*>/gu, '')
    .replaceAll(SEPARATORS, '.')
    .split('.')
    .filter((name) => name !== '');
}

/** The declarations that a path of symbols names: those with exactly this path, or else those whose path ends with it. */
export function matchSymbols(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const path = namesOf(wanted).join('.');
  if (path === '') return [];
  const exact = symbols.filter((one) => one.path === path);
  return exact.length > 0 ? exact : symbols.filter((one) => one.path.endsWith(`.${path}`));
}

/** Declarations under one path that follow each other, such as overloads, or a getter and its setter. */
export interface SymbolGroup {
  readonly first: CodeSymbol;
  readonly line: number;
  readonly endLine: number;
}

/** Maximum number of lines between overloads, which may have comments. */
const MAX_BETWEEN = 30;

/** Joins overloads. */
export function groupSymbols(found: readonly CodeSymbol[], symbols: readonly CodeSymbol[]): SymbolGroup[] {
  const groups: SymbolGroup[] = [];
  for (const one of found) {
    const last = groups.at(-1);
    const between = last === undefined ? [] : symbols.filter(({ line, depth }) => line > last.endLine && line < one.line && depth <= one.depth);
    const joins = last?.first.path === one.path && one.line - last.endLine <= MAX_BETWEEN && between.length === 0;
    if (last !== undefined && joins) groups[groups.length - 1] = { ...last, endLine: Math.max(last.endLine, one.endLine) };
    else groups.push({ first: one, line: one.line, endLine: one.endLine });
  }
  return groups;
}

/** The paths of symbols most like one that was not found. */
export function nearestSymbols(symbols: readonly CodeSymbol[], wanted: string): string[] {
  const last = namesOf(wanted).at(-1) ?? wanted;
  const named = new Set(nearest(last, new Set(symbols.map(({ name }) => name))));
  const paths = [...new Set(symbols.filter(({ name }) => named.has(name)).map(({ path }) => path))];
  return paths.slice(0, 5);
}
