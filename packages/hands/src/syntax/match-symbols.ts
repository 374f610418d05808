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

/** A `#` that is part of a name, as of private members in JavaScript: in `Class.#name`, not in `Class#name`. */
const PRIVATE = /(?:^|[.:>/\\])#(?=[\p{L}\p{N}_$]+$)/u;

/** The last name of a path of symbols, as it is written: `#name` of a private member. */
export function lastNameOf(symbol: string): string | undefined {
  const name = namesOf(symbol).at(-1);
  return name !== undefined && PRIVATE.test(symbol.trim().replace(/\(.*$/su, '')) ? `#${name}` : name;
}

/** The declarations that a path of symbols names: those with exactly this path, or else those whose path ends with it. */
export function matchSymbols(symbols: readonly CodeSymbol[], wanted: string): readonly CodeSymbol[] {
  const names = namesOf(wanted);
  const path = names.join('.');
  if (path === '') return [];
  const asWritten = [...names.slice(0, -1), lastNameOf(wanted)].join('.');
  const withPath = (named: string, pathOf = (one: CodeSymbol) => one.path): readonly CodeSymbol[] => {
    const exact = symbols.filter((one) => pathOf(one) === named);
    return exact.length > 0 ? exact : symbols.filter((one) => pathOf(one).endsWith(`.${named}`));
  };
  for (const found of [withPath(asWritten), withPath(path)]) if (found.length > 0) return found;
  return withPath(path, (one) => one.path.replaceAll(/(?<=^|\.)#/gu, ''));
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
