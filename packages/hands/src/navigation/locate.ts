import { SynapseError } from '@synapse/protocol';
import { groupSymbols, lastNameOf, matchSymbols, namesOf, type SymbolGroup } from '../syntax/match-symbols.ts';
import { wordPattern } from '../syntax/read-uses.ts';
import type { SyntaxFile } from '../syntax/syntax-file.ts';
import { nameIn, namesOn, type LineName } from './line-name.ts';
import type { Wanted } from './navigation-use.ts';
import type { SourceFile } from './source.ts';
import { ambiguous, symbolNotFound } from './symbol-errors.ts';
import { withoutPrototypes } from './without-prototypes.ts';

/** A name at a place in a file. */
export interface Located {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** From 0, in UTF-16 units. */
  readonly column: number;
  /** Its declaration, if it is in one. */
  readonly group?: SymbolGroup;
  /** How the place was understood, if not as given. */
  readonly note?: string;
}

/** Number of lines around a given one where a text is looked for that is not on it. */
const NEAR_LINES = 5;
const MAX_SHOWN_CHARACTERS = 160;

function onLine(lines: readonly string[], line: number, part: string | undefined): LineName | undefined {
  const text = lines[line - 1];
  return text === undefined || part === undefined ? undefined : nameIn(text, part);
}

/** The lines around one, nearest first. */
function nearLines(line: number): number[] {
  return Array.from({ length: NEAR_LINES }, (_, index) => [line - index - 1, line + index + 1]).flat();
}

function noSuchLine({ path, lines }: SourceFile, line: number): SynapseError {
  return new SynapseError('no_match', `${path} has no line ${line}: it has ${lines.length}.`, { hint: 'Read the file, or give "symbol".' });
}

function notOnLine({ path, lines }: SourceFile, line: number, part: string): SynapseError {
  const shown = (lines[line - 1] ?? '').trim().slice(0, MAX_SHOWN_CHARACTERS);
  return new SynapseError('no_match', `${JSON.stringify(part.slice(0, 100))} is not on line ${line} of ${path}, nor near it.`, {
    hint: `The line is: ${shown}`,
  });
}

function byLine(source: SourceFile, syntax: SyntaxFile | undefined, line: number, part: string | undefined): Located {
  const { lines } = source;
  const text = lines[line - 1];
  if (text === undefined) throw noSuchLine(source, line);
  const symbols = syntax?.symbols() ?? [];
  const withGroup = (found: LineName, at: number): Located => {
    const one = symbols.find(({ nameLine, nameColumn }) => nameLine === at && nameColumn === found.column);
    return { ...found, line: at, ...(one === undefined ? {} : { group: { first: one, line: one.line, endLine: one.endLine } }) };
  };
  if (part !== undefined) {
    const here = onLine(lines, line, part);
    if (here !== undefined) return withGroup(here, line);
    const near = nearLines(line).find((one) => onLine(lines, one, part) !== undefined);
    const there = near === undefined ? undefined : onLine(lines, near, part);
    if (near === undefined || there === undefined) throw notOnLine(source, line, part);
    return { ...withGroup(there, near), note: `it is on line ${near}, not ${line}` };
  }
  const declared = symbols.filter((one) => one.nameLine === line);
  const [only] = declared;
  if (only !== undefined && declared.length === 1)
    return { name: only.name, line, column: only.nameColumn, group: { first: only, line: only.line, endLine: only.endLine } };
  const names = namesOn(text);
  const different = [...new Set(names.map(({ name }) => name))];
  const [first] = names;
  if (first !== undefined && different.length === 1) return withGroup(first, line);
  if (first === undefined)
    throw new SynapseError('no_match', `Line ${line} of ${source.path} has no name.`, { hint: 'Give another line, or "symbol".' });
  throw new SynapseError('ambiguous_match', `Line ${line} of ${source.path} has several names: ${different.slice(0, 20).join(', ')}.`, {
    hint: 'Give "text" with the one that is meant.',
  });
}

/** The first place where a name is used that the file does not declare. */
function firstUse(source: SourceFile, syntax: SyntaxFile | undefined, name: string): Located | undefined {
  const use = syntax?.usesOf(name).find((one) => one.as === 'code');
  if (use !== undefined) return { name, line: use.line, column: use.column };
  if (syntax !== undefined) return undefined;
  const pattern = wordPattern(name);
  for (const [index, text] of source.lines.entries()) {
    pattern.lastIndex = 0;
    const found = pattern.exec(text);
    if (found !== null) return { name, line: index + 1, column: found.index };
  }
  return undefined;
}

/** The name of a symbol that is looked for on a line: with its `#` where that is part of it. */
function nameFor({ lines }: SourceFile, line: number, symbol: string): string {
  const written = lastNameOf(symbol);
  return written !== undefined && onLine(lines, line, written) !== undefined ? written : (namesOf(symbol).at(-1) ?? symbol);
}

/**
 * Finds the place that is meant: a symbol by its name, or a name on a line.
 *
 * @throws SynapseError `no_match` with the nearest names, `ambiguous_match` with the candidates
 */
export function locate(source: SourceFile, syntax: SyntaxFile | undefined, { symbol, line, text }: Wanted): Located {
  if (line !== undefined) return byLine(source, syntax, line, text ?? (symbol === undefined ? undefined : nameFor(source, line, symbol)));
  const wanted = symbol ?? text;
  if (wanted === undefined)
    throw new SynapseError('invalid_arguments', 'Which symbol? Neither "symbol" nor "line" is given.', {
      hint: 'Give symbol: "Class.method", or line and text.',
    });
  const symbols = syntax?.symbols() ?? [];
  const { path, lines } = source;
  const found = groupSymbols(matchSymbols(symbols, wanted), symbols).map((group) => ({ path, lines, group }));
  const meant = withoutPrototypes(found);
  const group = meant[0]?.group;
  if (group !== undefined && meant.length === 1) {
    const { name, nameLine, nameColumn } = group.first;
    return { name, line: nameLine, column: nameColumn, group };
  }
  if (meant.length > 1) throw ambiguous(wanted, meant);
  const name = namesOf(wanted).at(-1);
  const use = name === undefined ? undefined : firstUse(source, syntax, name);
  if (use === undefined) throw symbolNotFound(source.path, wanted, syntax);
  return { ...use, note: `${source.path} does not declare it, so its use on line ${use.line} was looked at` };
}
