import { isSynapseError } from '@synapse/protocol';
import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations, type ServerPlace } from '../lsp/locations.ts';
import type { ServerRow } from '../lsp/server-table.ts';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import type { NameUse } from '../syntax/read-uses.ts';
import type { EditedFile } from './edited-file.ts';
import { inactiveLines } from './inactive-lines.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import { reasonOf } from '../lsp/server-reason.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of uses that a server is asked about, some of each file first, and of questions at a time. */
const MAX_ASKED = 400;
const MAX_AT_ONCE = 16;

/** What is before a member of something, and not before what is spread. */
const MEMBER = /(?:(?<!\.)\.|->|::)\s*$/u;
/** What is after the name of a property. A type may be there, too. */
const KEY = /^\??\s*:/u;
/** What is after the name of an argument. */
const ARGUMENT = /^\s*=(?!=)/u;

/** A use of the name that stays. */
interface LeftUse {
  readonly file: SourceFile;
  readonly use: NameUse;
  /** Which use of its file it is. */
  readonly rank: number;
}

/** A use that the server leaves out of a rename, though it says that it is what was renamed. */
export interface MissedUse {
  readonly file: SourceFile;
  readonly range: ServerPlace['range'];
  /** The path and the line. */
  readonly at: string;
  /** Whether it is nothing else, too. */
  readonly isOnly: boolean;
}

/** What is known about the uses of a name that stay. */
export interface LeftUses {
  /** Where the server does not know what the name is: it may be what was renamed. */
  readonly unknown: readonly string[];
  /** Where it is in the text of a macro, which no server renames. */
  readonly inMacros: readonly string[];
  /** Where the server says that the name is what was renamed. */
  readonly missed: readonly MissedUse[];
  /** Number of uses that it was not asked about. */
  readonly left: number;
}

/** What was renamed. */
interface Renamed {
  /** Whether it belongs to something else, such as a method. */
  readonly isMember: boolean;
  /** The only lines where it can be used, from 1; undefined if it can be used elsewhere. */
  readonly within: { readonly path: string; readonly line: number; readonly endLine: number } | undefined;
}

/** What is before a use on its line. */
const before = ({ file, use }: LeftUse): string => (file.lines[use.line - 1] ?? '').slice(0, use.column);
const whereOf = ({ file, use }: LeftUse): string => `${file.path}:${use.line}`;

/** The function or method that holds some lines, in order. */
function routineAround(symbols: readonly CodeSymbol[], lines: readonly number[]): CodeSymbol | undefined {
  const [first = 0, last = 0] = [lines[0], lines.at(-1)];
  return symbols.find(({ kind, line, endLine }) => (kind === 'function' || kind === 'method') && line <= first && last <= endLine);
}

async function describeRenamed(edited: readonly EditedFile[], { knowsNames, namesArguments }: ServerRow): Promise<Renamed> {
  const declared: CodeSymbol[] = [];
  let isAccessed = false;
  let within: Renamed['within'];
  for (const { source, replacements, touches } of edited) {
    using syntax = await syntaxOf(source);
    const symbols = syntax?.symbols() ?? [];
    declared.push(...symbols.filter(({ nameLine, nameColumn }) => touches(nameLine, nameColumn)));
    isAccessed ||= replacements.some(({ start }) => MEMBER.test(source.text.slice(Math.max(0, start - 40), start)));
    const starts = lineStarts(source.text);
    const around = routineAround(
      symbols,
      replacements.map(({ start }) => lineAt(starts, start)),
    );
    // In other languages, what has properties is declared.
    const isKey = knowsNames !== true && namesArguments !== true && replacements.some(({ end }) => KEY.test(source.text.slice(end, end + 20)));
    if (edited.length > 1) continue;
    const local = syntax?.localLines(replacements.map(({ start }) => start)) ?? (isKey ? undefined : around);
    if (local !== undefined) within = { path: source.path, line: local.line, endLine: local.endLine };
  }
  const isMember = declared.length > 0 ? declared.some(({ kind }) => kind === 'method' || kind === 'field') : isAccessed;
  return { isMember, within: declared.length > 0 || isAccessed ? undefined : within };
}

/** Whether a server that does not know what a use is may have missed it. Code may leave types open, and what it takes by a name then. */
function mayBeMissed(one: LeftUse, name: string, { isMember }: Renamed, { knowsNames, namesArguments }: ServerRow): boolean {
  if (knowsNames === true) return true;
  const { file, use } = one;
  const [text, rest] = [before(one), (file.lines[use.line - 1] ?? '').slice(use.column + name.length)];
  // Of arguments of each call on a line of its own, nothing is before.
  if (namesArguments === true && ARGUMENT.test(rest) && /(?:[(,]|^)\s*$/u.test(text)) return false;
  if (!MEMBER.test(text) || isMember) return true;
  // A member of a module, which the file imports.
  const owner = /([\p{L}_$][\p{L}\p{N}_$]*)\s*\.\s*$/u.exec(text)?.[1];
  return owner !== undefined && file.lines.some((line) => /^\s*(?:import|from)\b/u.test(line) && line.includes(owner));
}

async function usesIn(files: readonly SourceFile[], name: string, edited: readonly EditedFile[], { within }: Renamed): Promise<LeftUse[]> {
  const byPath = new Map(edited.map((one) => [one.source.path, one]));
  const uses: LeftUse[] = [];
  for (const file of files) {
    if (within !== undefined && file.path !== within.path) continue;
    using syntax = await syntaxOf(file);
    const left = (syntax?.usesOf(name) ?? []).filter(
      ({ line, column, as }) =>
        as === 'code' &&
        byPath.get(file.path)?.touches(line, column) !== true &&
        (within === undefined || (line >= within.line && line <= within.endLine)),
    );
    uses.push(...left.map((use, rank) => ({ file, use, rank })));
  }
  return uses.toSorted((a, b) => a.rank - b.rank);
}

/** The places where a server says that a name is declared; empty if it does not know. */
async function declaredAt(session: CodeSession, { file, use }: LeftUse, root: string): Promise<readonly ServerPlace[] | 'outside'> {
  if (file.serverPath === undefined) return [];
  try {
    const position = { line: use.line - 1, character: use.column };
    const { places, outside } = readLocations(await session.at('textDocument/definition', file.serverPath, position), root);
    return places.length === 0 && outside.length > 0 ? 'outside' : places;
  } catch (error) {
    if (isSynapseError(error) || reasonOf(error, root) === undefined) throw error;
    return [];
  }
}

/** The uses in code that the preprocessor drops, which may be what was renamed, with the function around each: of those, a server can only guess. */
async function droppedUses(session: CodeSession, uses: readonly LeftUse[], { isMember }: Renamed): Promise<Map<LeftUse, CodeSymbol | undefined>> {
  const dropped = new Map<LeftUse, CodeSymbol | undefined>();
  for (const [file, some] of Map.groupBy(uses, (one) => one.file)) {
    if (file.serverPath === undefined || session.versionOf(file.serverPath) === undefined) continue;
    const lines = await inactiveLines(session, file.serverPath);
    if (lines.size === 0) continue;
    using syntax = await syntaxOf(file);
    const symbols = syntax?.symbols() ?? [];
    for (const one of some) {
      const isAccess = /(?:\.|->)\s*$/u.test(before(one));
      // In C++, a method uses members of its class by their name alone.
      const mayBe = isAccess ? isMember : !isMember || !file.path.endsWith('.c');
      if (mayBe && lines.has(one.use.line)) dropped.set(one, routineAround(symbols, [one.use.line]));
    }
  }
  return dropped;
}

/** Whether a place is before a use in the function around it, and so a local variable of that name. */
const isLocal = ({ path, range }: ServerPlace, { file, use }: LeftUse, around: CodeSymbol | undefined): boolean =>
  path === file.serverPath && around !== undefined && range.start.line + 1 >= around.line && range.start.line + 1 < use.line;

/** Asks the server what the uses of the name are that stay. */
export async function leftUses(
  session: CodeSession,
  name: string,
  files: readonly SourceFile[],
  edited: readonly EditedFile[],
  { row, root }: { readonly row: ServerRow; readonly root: string },
): Promise<LeftUses> {
  const renamed = await describeRenamed(edited, row);
  const all = await usesIn(files, name, edited, renamed);
  const inMacros = all.filter((one) => one.use.inMacro === 'text' && MEMBER.test(before(one)) === renamed.isMember).map(whereOf);
  if (inMacros.length > 0 || !session.offers('definitionProvider')) return { unknown: [], inMacros: [...new Set(inMacros)], missed: [], left: 0 };
  const uses = all.filter(({ use }) => use.inMacro === undefined);
  const byPath = new Map(edited.map((one) => [one.source.serverPath, one]));
  // Where both names stand afterwards, as in `{ old: new }`, the old one still leads there.
  const isPlain = edited.every(({ replacements }) => new Set(replacements.map(({ text }) => text)).size === 1);
  const unknown: string[] = [];
  const missed: MissedUse[] = [];
  const asked = uses.slice(0, MAX_ASKED);
  const dropped = row.pastesNames === true ? await droppedUses(session, asked, renamed) : new Map<LeftUse, undefined>();
  for (let at = 0; at < asked.length; at += MAX_AT_ONCE) {
    const some = asked.slice(at, at + MAX_AT_ONCE);
    const answers = await Promise.all(some.map((one) => declaredAt(session, one, root)));
    for (const [index, places] of answers.entries()) {
      const one = some[index];
      if (one === undefined || places === 'outside') continue;
      const where = whereOf(one);
      if (places.length === 0 && mayBeMissed(one, name, renamed, row)) unknown.push(where);
      const renamedPlaces = places.filter(({ path, range: { start } }) => byPath.get(path)?.touches(start.line + 1, start.character) === true);
      const isGuess = dropped.has(one) && !places.some((place) => isLocal(place, one, dropped.get(one)));
      if (!isGuess && (!isPlain || renamedPlaces.length === 0)) continue;
      const { line, column } = one.use;
      const range = { start: { line: line - 1, character: column }, end: { line: line - 1, character: column + name.length } };
      missed.push({ file: one.file, range, at: where, isOnly: !isGuess && renamedPlaces.length === places.length });
    }
  }
  return { unknown: [...new Set(unknown)], inMacros, missed, left: uses.length - asked.length };
}
