import { GRAMMARS } from '../syntax/grammar.ts';
import { groupSymbols, matchSymbols, namesOf, type SymbolGroup } from '../syntax/match-symbols.ts';
import { mentioning, readMentions } from './mentions.ts';
import type { FoundPlace, NavigationUse } from './navigation-use.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of files that are parsed to find a symbol. */
const MAX_FILES = 400;
const MAX_LINE_CHARACTERS = 160;

/** A declaration with its file. */
export interface Declaration {
  readonly path: string;
  readonly group: SymbolGroup;
  readonly source: SourceFile;
}

/** Declarations of a name. */
export interface Declarations {
  readonly found: readonly Declaration[];
  /** Number of files that mention the name and were not looked at. */
  readonly left: number;
}

/** A line as the answer shows it. */
export function shownLine(lines: readonly string[], line: number): string {
  const text = (lines[line - 1] ?? '').trim();
  return text.length <= MAX_LINE_CHARACTERS ? text : `${text.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…`;
}

/** A declaration as a place of the answer. */
export function placeOf({ path, group, source }: Declaration): FoundPlace {
  const { first, line, endLine } = group;
  return { path, line, end_line: endLine, text: shownLine(source.lines, first.nameLine), symbol: first.path, kind: first.kind };
}

const ALL = GRAMMARS.flatMap(({ extensions }) => extensions);

/**
 * Finds declarations by name in the files below a path, by their syntax.
 *
 * @param loose also names that contain it, whatever their case, if none is exactly so
 */
export async function findDeclarations(
  wanted: string,
  path: string,
  use: NavigationUse,
  { loose = false, extensions = ALL }: { readonly loose?: boolean; readonly extensions?: readonly string[] } = {},
): Promise<Declarations> {
  const name = namesOf(wanted).at(-1) ?? wanted;
  const { files, left } = await readMentions(await mentioning(name, extensions, path, use, loose), MAX_FILES, use);
  const found: Declaration[] = [];
  for (const source of files) {
    use.signal.throwIfAborted();
    using syntax = await syntaxOf(source);
    const symbols = syntax?.symbols() ?? [];
    const lower = name.toLowerCase();
    const matched = loose ? symbols.filter((one) => one.name.toLowerCase().includes(lower)) : matchSymbols(symbols, wanted);
    for (const group of groupSymbols(matched, symbols)) found.push({ path: source.path, group, source });
  }
  return { found: found.toSorted((a, b) => (a.path === b.path ? a.group.line - b.group.line : a.path < b.path ? -1 : 1)), left };
}
