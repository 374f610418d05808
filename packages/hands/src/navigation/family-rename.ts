import type { CodeSession, ServerPosition } from '../lsp/code-servers.ts';
import { readLocations, type ServerPlace } from '../lsp/locations.ts';
import { serverFor, type ServerRow } from '../lsp/server-table.ts';
import type { ServerChange, ServerEdit } from '../lsp/workspace-edit.ts';
import { wordPattern } from '../syntax/read-uses.ts';
import { named } from './check-rename.ts';
import type { EditedFile } from './edited-file.ts';
import { mentioning, readMentions } from './mentions.ts';
import type { NavigationUse } from './navigation-use.ts';
import { reasonOf } from '../lsp/server-reason.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of methods that are renamed together, and of files that are looked at for the new name. */
const MAX_MEMBERS = 200;
const MAX_FILES = 300;
/** Milliseconds for the server to read the new texts. */
const LOAD_MS = 20_000;

/** A method, where its name is declared. */
interface Member {
  readonly path: string;
  readonly position: ServerPosition;
}

/** The methods that are renamed together: those that implement the same interfaces, and those of the interfaces. */
export interface Family {
  readonly members: readonly Member[];
  readonly change: ServerChange;
}

/** What a family is found by. */
interface Asking {
  readonly name: string;
  readonly root: string;
  /** Those that have the name. */
  readonly files: readonly SourceFile[];
}

const keyOf = ({ path, position: { line, character } }: Member): string => `${path}:${line + 1}:${character}`;
const whereOf = ({ path, position: { line } }: Member): string => `${path}:${line + 1}`;

/** The methods of other types and interfaces that belong to one. */
interface Related {
  readonly members: readonly Member[];
  /** Whether all of them are in the workspace, and known. */
  readonly isWhole: boolean;
}

async function related(session: CodeSession, { path, position }: Member, { name, root, files }: Asking): Promise<Related> {
  const { places, outside } = readLocations(await session.at('textDocument/implementation', path, position), root);
  const sources = new Map(files.map((file) => [file.serverPath, file]));
  const isNamed = ({ path: at, range: { start, end } }: ServerPlace): boolean =>
    sources.get(at)?.lines[start.line]?.slice(start.character, end.character) === name;
  return {
    members: places.map(({ path: at, range }) => ({ path: at, position: range.start })),
    isWhole: outside.length === 0 && places.every(isNamed),
  };
}

/** The places where the name may be that of a method which is declared: not of something, and before what it takes. */
async function declarations({ name, files }: Asking): Promise<Member[]> {
  const found: Member[] = [];
  for (const { serverPath: path, lines, ...file } of files) {
    if (path === undefined) continue;
    using syntax = await syntaxOf(file);
    for (const { line, column, as } of syntax?.usesOf(name) ?? []) {
      const text = lines[line - 1] ?? '';
      if (as !== 'code' || /\.\s*$/u.test(text.slice(0, column)) || !/^\s*\(/u.test(text.slice(column + name.length))) continue;
      found.push({ path, position: { line: line - 1, character: column } });
    }
  }
  return found;
}

/** Adds what is related to members, and to those. False if not all of it is in the workspace. */
async function grow(session: CodeSession, members: Map<string, Member>, asking: Asking): Promise<boolean> {
  // It grows while it is read.
  for (const member of members.values()) {
    let answer: Related;
    try {
      answer = await related(session, member, asking);
    } catch (error) {
      // Such as for what is neither a type nor a method.
      if (reasonOf(error, asking.root) === undefined) throw error;
      return false;
    }
    const { members: found, isWhole } = answer;
    if (!isWhole || members.size + found.length > MAX_MEMBERS) return false;
    for (const one of found) if (!members.has(keyOf(one))) members.set(keyOf(one), one);
  }
  return true;
}

/** A method of an interface without a name, as in `x.(interface{ M() })`: a server does not name it with the others, and knows what implements it. */
async function unlisted(session: CodeSession, members: ReadonlyMap<string, Member>, asking: Asking): Promise<Related> {
  const left = (await declarations(asking)).filter((one) => !members.has(keyOf(one)));
  if (left.length > MAX_MEMBERS) return { members: [], isWhole: false };
  const found: Member[] = [];
  let isWhole = true;
  for (const one of left) {
    try {
      const other = await related(session, one, asking);
      if (!other.members.some((member) => members.has(keyOf(member)))) continue;
      found.push(one);
      isWhole &&= other.isWhole;
    } catch (error) {
      // Such as for a function.
      if (reasonOf(error, asking.root) === undefined) throw error;
    }
  }
  return { members: found, isWhole };
}

/** The comment right above a declaration says its name first, by the custom of the language. */
function inComment({ path, position }: Member, { name, files }: Asking): ServerEdit['range'][] {
  const lines = files.find((file) => file.serverPath === path)?.lines ?? [];
  const ranges: ServerEdit['range'][] = [];
  for (let line = position.line - 1; line >= 0 && /^\s*\/\//u.test(lines[line] ?? ''); line -= 1) {
    for (const { index } of (lines[line] ?? '').matchAll(wordPattern(name)))
      ranges.push({ start: { line, character: index }, end: { line, character: index + name.length } });
  }
  return ranges;
}

/**
 * The change of all methods that have to be renamed together, from the uses of each: a server renames one of them, or refuses. Undefined if there is
 * none but the one that was asked for, or not all of them are in the workspace.
 */
export async function familyOf(session: CodeSession, asked: Member, to: string, asking: Asking): Promise<Family | undefined> {
  const members = new Map<string, Member>([[keyOf(asked), asked]]);
  for (;;) {
    if (!(await grow(session, members, asking))) return undefined;
    const { members: more, isWhole } = await unlisted(session, members, asking);
    if (!isWhole) return undefined;
    if (more.length === 0) break;
    for (const one of more) members.set(keyOf(one), one);
  }
  if (members.size === 1) return undefined;
  const edits = new Map<string, Map<string, ServerEdit>>();
  const add = (path: string, range: ServerEdit['range']): void => {
    const inFile = edits.get(path) ?? new Map<string, ServerEdit>();
    edits.set(path, inFile.set(`${range.start.line}:${range.start.character}`, { range, newText: to }));
  };
  for (const member of members.values()) {
    const request = session.at('textDocument/references', member.path, member.position, { context: { includeDeclaration: true } });
    const { places, outside } = readLocations(await request, asking.root);
    if (outside.length > 0) return undefined;
    for (const { path, range } of places) add(path, range);
    for (const range of inComment(member, asking)) add(member.path, range);
  }
  return {
    members: [...members.values()],
    change: { files: new Map(Array.from(edits, ([path, inFile]) => [path, [...inFile.values()]])), refused: undefined },
  };
}

/** Where the new name is used already in code: the server was not asked whether it can rename all of them so. */
async function usedAlready(to: string, row: ServerRow, use: NavigationUse): Promise<string[]> {
  const { files, left } = await readMentions(await mentioning(to, Object.keys(row.languages), '.', use), MAX_FILES, use);
  const places: string[] = left > 0 ? [`${left} more files`] : [];
  for (const file of files) {
    using syntax = await syntaxOf(file);
    for (const { line, as } of syntax?.usesOf(to) ?? []) if (as === 'code') places.push(`${file.path}:${line}`);
  }
  return places;
}

/**
 * Why methods cannot have another name together. The server is shown the new texts: the same methods must belong together then, no more and no less,
 * as with some names a type also implements what others have declared, such as `String`.
 */
export async function familyProblem(
  session: CodeSession,
  { members }: Family,
  edited: readonly EditedFile[],
  { to, row, use }: { readonly to: string; readonly row: ServerRow; readonly use: NavigationUse },
): Promise<string | undefined> {
  const taken = await usedAlready(to, row, use);
  if (taken.length > 0) return `${to} is used already at ${named(taken)}`;
  const byPath = new Map(edited.map((file) => [file.source.serverPath, file]));
  for (const { source, newText } of edited) {
    const language = serverFor(source.path, [row])?.language;
    if (language !== undefined && source.serverPath !== undefined) session.open({ path: source.serverPath, language, text: newText });
  }
  await session.settle(LOAD_MS);
  const moved = members.map(({ path, position }) => ({ path, position: byPath.get(path)?.moved(position) ?? position }));
  const [first] = moved;
  const files = edited.map(({ source, newText }) => ({ ...source, text: newText, lines: newText.split(/\r?\n/u) }));
  const now = first === undefined ? undefined : await familyOf(session, first, to, { name: to, root: use.workspace.root, files });
  const [before, after] = [moved, now?.members ?? []].map((some) => some.map(keyOf).toSorted());
  if (now === undefined) return `with the name ${to}, they would no longer implement each other, or also what is outside of the workspace`;
  return before?.join('\n') === after?.join('\n') ? undefined : `${to} would mean something else at ${named(now.members.map(whereOf))}`;
}

/** What is said of them. */
export const familyNote = ({ members }: Family): string => `renamed together, as they implement each other: ${named(members.map(whereOf))}`;
