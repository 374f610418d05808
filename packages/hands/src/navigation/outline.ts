import { isSynapseError, SynapseError } from '@synapse/protocol';
import { GRAMMARS } from '../syntax/grammar.ts';
import { groupSymbols, matchSymbols } from '../syntax/match-symbols.ts';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import { count } from '../text/amounts.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { findDeclarations } from './find-declarations.ts';
import type { FoundPlace, NavigationUse } from './navigation-use.ts';
import { needSyntax, openSource, syntaxOf } from './source.ts';
import { notBelow, symbolNotFound } from './symbol-errors.ts';

/** The symbols of a file or folder. */
export interface Outline {
  readonly symbols: readonly FoundPlace[];
  readonly text: string;
  readonly notes: readonly string[];
  readonly truncated: boolean;
}

/** Maximum number of symbols shown of one file. */
const MAX_SHOWN = 400;
/** Maximum number of files of a folder that are shown. */
const MAX_FILES = 200;
/** Maximum number of files of a folder that are looked for. */
const MAX_FOUND = 5_000;
/** Maximum number of files that declare one symbol. */
const MAX_DECLARING = 20;
/** Maximum number of symbols of a file that are named in the outline of a folder. */
const MAX_NAMED = 12;
/** Milliseconds for a folder: about 300 files of usual size. */
const FOLDER_MS = 4_000;
/** Number of files that are looked at also after that: a busy machine may give the process no time for seconds. */
const LEAST_FILES = 20;

export const SOURCE_GLOB = `**/*.{${GRAMMARS.flatMap(({ extensions }) => extensions).join(',')}}`;

const range = ({ line, endLine }: Pick<CodeSymbol, 'line' | 'endLine'>): string => (line === endLine ? `${line}` : `${line}-${endLine}`);

function rowOf(path: string, { path: symbol, kind, line, endLine }: CodeSymbol): FoundPlace {
  return { path, line, end_line: endLine, symbol, kind };
}

/** A line of an outline. A member is named without its class. */
function lineOf({ path, name, kind, depth, ...lines }: CodeSymbol, least: number): string {
  const own = depth > 0 ? name : path;
  return `${'  '.repeat(Math.min(depth - least, 6))}${range(lines)} ${kind === 'method' ? '' : `${kind} `}${own}`;
}

/** Chooses what is shown: fields only if one symbol was asked for, and of too many, those on the outside. */
function choose(symbols: readonly CodeSymbol[], all: boolean): readonly CodeSymbol[] {
  const wanted = all ? symbols : symbols.filter(({ kind }) => kind !== 'field');
  if (wanted.length <= MAX_SHOWN) return wanted;
  const outer = wanted.filter(({ depth }) => depth === 0);
  return (outer.length <= MAX_SHOWN ? outer : wanted).slice(0, MAX_SHOWN);
}

/** The symbols of a file, or one symbol with its members. */
async function outlineFile(path: string, wanted: string | undefined, { workspace }: NavigationUse): Promise<Outline> {
  const source = await openSource(workspace, path);
  using syntax = await needSyntax(source);
  const all = syntax.symbols();
  const groups = wanted === undefined ? [] : groupSymbols(matchSymbols(all, wanted), all);
  if (wanted !== undefined && groups.length === 0) throw symbolNotFound(source.path, wanted, syntax);
  const asked =
    wanted === undefined ? all : all.filter(({ line, endLine }) => groups.some((group) => line >= group.line && endLine <= group.endLine));
  const shown = choose(asked, wanted !== undefined);
  const fields = asked.length - asked.filter(({ kind }) => kind !== 'field').length;
  const least = Math.min(...shown.map(({ depth }) => depth), 99);
  const left = asked.length - shown.length - (wanted === undefined ? fields : 0);
  const notes = [
    `${source.path}, ${count(source.lines.length - Number(source.lines.at(-1) === ''), 'line')}: ${count(shown.length, 'symbol')}`,
    ...(wanted === undefined && fields > 0 ? [`${count(fields, 'field')} left out`] : []),
    ...(left > 0 ? [`${left} inside these left out: give "symbol" to see one with its members`] : []),
    ...(syntax.hasError ? ['the file has syntax errors, so some may be missing'] : []),
  ];
  return {
    symbols: shown.map((one) => rowOf(source.path, one)),
    text: shown.map((one) => `${lineOf(one, least)}\n`).join(''),
    notes,
    truncated: left > 0,
  };
}

/** The outermost symbols of one file, in a line. */
async function lineOfFile(workspace: Workspace, path: string): Promise<{ readonly line: string; readonly symbols: FoundPlace[] } | undefined> {
  try {
    const source = await openSource(workspace, path);
    using syntax = await syntaxOf(source);
    const outer = syntax?.symbols().filter(({ depth }) => depth === 0) ?? [];
    if (outer.length === 0) return undefined;
    const named = outer.slice(0, MAX_NAMED).map((one) => `${one.path} ${range(one)}`);
    const more = outer.length - named.length;
    return { line: `${source.path}: ${named.join(', ')}${more > 0 ? `, ${more} more` : ''}`, symbols: outer.map((one) => rowOf(source.path, one)) };
  } catch (error) {
    // Not text, too large, gone, or not to be read by this call.
    if (isSynapseError(error)) return undefined;
    throw error;
  }
}

async function outlineFolder(path: string, { workspace, search, signal }: NavigationUse): Promise<Outline> {
  const found = await search.files({ globs: [SOURCE_GLOB], path, hidden: false, ignore: true, limit: MAX_FOUND }, workspace, signal);
  const paths = found.files.map((file) => file.path).toSorted((a, b) => (a < b ? -1 : 1));
  if (paths.length === 0) {
    throw new SynapseError('no_match', `No source files found below ${path}.`, { hint: 'Give a folder with code, or use find_files.' });
  }
  const lines: string[] = [];
  const symbols: FoundPlace[] = [];
  const end = performance.now() + FOLDER_MS;
  let seen = 0;
  for (const one of paths) {
    signal.throwIfAborted();
    if (lines.length >= MAX_FILES || (seen >= LEAST_FILES && performance.now() > end)) break;
    seen += 1;
    const outlined = await lineOfFile(workspace, one);
    if (outlined === undefined) continue;
    lines.push(outlined.line);
    symbols.push(...outlined.symbols);
  }
  const left = found.collected - seen;
  const notes = [
    `${count(lines.length, 'file')} with symbols, those on the outside`,
    ...(left > 0 ? [`${count(left, 'more file')} not looked at: give a folder further down`] : []),
  ];
  return { symbols, text: lines.map((line) => `${line}\n`).join(''), notes, truncated: left > 0 };
}

/** One symbol with its members, wherever it is declared below a folder. */
async function outlineBelow(path: string, wanted: string, use: NavigationUse): Promise<Outline> {
  const { found, left } = await findDeclarations(wanted, path, use);
  const paths = [...new Set(found.map((one) => one.path))];
  if (paths.length === 0) throw notBelow(path, wanted, 'Use action "find" with a part of the name, or search_text.');
  const outlines: Outline[] = [];
  for (const one of paths.slice(0, MAX_DECLARING)) outlines.push(await outlineFile(one, wanted, use));
  const [first] = outlines;
  const more = paths.length - outlines.length;
  const unseen = left > 0 ? [`${count(left, 'more file')} that name it not looked at`] : [];
  if (first !== undefined && outlines.length === 1) return { ...first, notes: [...first.notes, ...unseen] };
  return {
    symbols: outlines.flatMap(({ symbols }) => symbols),
    text: outlines.map(({ text }, index) => `${paths[index] ?? ''}\n${text}`).join(''),
    notes: [
      `${count(paths.length, 'file')} declare ${wanted}`,
      ...(more > 0 ? [`${more} of them not shown: give a folder further down`] : []),
      ...unseen,
    ],
    truncated: more > 0 || outlines.some(({ truncated }) => truncated),
  };
}

/** The symbols of a file or folder, by syntax alone. */
export async function outline(path: string, wanted: string | undefined, use: NavigationUse): Promise<Outline> {
  const { type } = use.workspace.describe(path);
  if (type !== 'directory') return await outlineFile(path, wanted, use);
  return wanted === undefined ? await outlineFolder(path, use) : await outlineBelow(path, wanted, use);
}
