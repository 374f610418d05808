import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations } from '../lsp/locations.ts';
import { type Asked, openAll } from './ask-server.ts';
import type { EditedFile } from './edited-file.ts';
import { headersInC } from './header-language.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import { readMentions } from './mentions.ts';
import type { NavigationUse } from './navigation-use.ts';
import type { SourceFile } from './source.ts';

/** Milliseconds for the server to read the files. */
const LOAD_MS = 20_000;
/** Maximum number of files that use such macros and are opened. */
const MAX_FILES = 300;
/** Maximum number of lines that paste, and of files that name a macro. */
const MAX_LINES = 5_000;
/** Maximum number of times that macros are looked for which use those found. */
const MAX_ROUNDS = 4;
/** Maximum length of a call before a place in it. */
const MAX_CALL_CHARACTERS = 2_000;

/** A macro of C, with its text. */
interface Macro {
  readonly name: string;
  readonly parameters: ReadonlySet<string>;
  readonly body: string;
}

const DEFINE = /^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?[ \t]*([^\n]*)$/gmu;
/** Names and parameters that are pasted together. */
const PASTED = /\w+(?:\s*##\s*\w+)+/gu;

/** The macros that a text defines. A backslash continues a line. */
function macrosIn(text: string): Macro[] {
  return Array.from(text.replaceAll(/\\\r?\n/gu, ' ').matchAll(DEFINE), ([, name = '', parameters = '', body = '']) => ({
    name,
    parameters: new Set(parameters.split(',').map((one) => one.trim().replace('...', '__VA_ARGS__'))),
    body,
  }));
}

/** The parts of each sequence that a macro pastes; undefined for a parameter, which may be anything. */
const sequencesOf = ({ body, parameters }: Macro): ReadonlyArray<ReadonlyArray<string | undefined>> =>
  Array.from(body.matchAll(PASTED), ([sequence]) => sequence.split(/\s*##\s*/u).map((part) => (parameters.has(part) ? undefined : part)));

/** Whether parts make a name. In one pass: a hostile macro may have any number of them. */
function make(parts: ReadonlyArray<string | undefined>, name: string): boolean {
  let [at, isOpen] = [0, false];
  for (const [index, part] of parts.entries()) {
    if (part === undefined) {
      isOpen = true;
      continue;
    }
    if (isOpen && index === parts.length - 1) return name.length - part.length >= at && name.endsWith(part);
    const found = isOpen ? name.indexOf(part, at) : name.startsWith(part, at) ? at : -1;
    if (found === -1) return false;
    [at, isOpen] = [found + part.length, false];
  }
  return isOpen || at === name.length;
}

/** Whether a macro can paste a name together, with some arguments. */
export function canPaste(macro: Macro, name: string): boolean {
  return sequencesOf(macro).some((parts) => make(parts, name));
}

/** The arguments that macros paste to other names, by their index; all of a macro that uses one of these. */
function pastedArguments(macros: readonly Macro[]): Map<string, ReadonlySet<number> | 'all'> {
  const found = new Map<string, ReadonlySet<number> | 'all'>();
  for (const { name, parameters, body } of macros) {
    const words = new Set(Array.from(body.matchAll(PASTED)).flatMap(([sequence]) => sequence.split(/\s*##\s*/u)));
    const indexes = [...parameters].flatMap((one, index) => (words.has(one) ? [index] : []));
    if (indexes.length > 0) found.set(name, new Set(indexes));
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = found.size;
    for (const { name, body } of macros) if (!found.has(name) && (body.match(/\w+/gu) ?? []).some((word) => found.has(word))) found.set(name, 'all');
    if (found.size === before) break;
  }
  return found;
}

/** The calls around a place, innermost first, with the index of the argument that it is in. */
function* callsAround(text: string, place: number): Iterable<readonly [name: string, index: number]> {
  let [depth, commas] = [0, 0];
  for (let at = place - 1; at >= 0 && place - at < MAX_CALL_CHARACTERS; at -= 1) {
    const letter = text[at];
    if (letter === ')') depth += 1;
    else if (letter === ',' && depth === 0) commas += 1;
    else if (depth === 0 && (letter === ';' || letter === '{' || letter === '}')) return;
    else if (letter === '(' && depth > 0) depth -= 1;
    else if (letter === '(') {
      const name = /(\w+)\s*$/u.exec(text.slice(Math.max(0, at - 200), at))?.[1];
      if (name !== undefined) yield [name, commas];
      commas = 0;
    }
  }
}

/** Where a renamed place is an argument that a macro pastes to other names, which would change, too. */
export function pastedFrom(edited: readonly EditedFile[], { pastes }: Pick<Pasting, 'pastes'>): string[] {
  return edited.flatMap(({ source: { path, text }, replacements }) => {
    const starts = pastes.size === 0 ? [] : lineStarts(text);
    return (pastes.size === 0 ? [] : replacements).flatMap(({ start }) => {
      for (const [name, index] of callsAround(text, start)) {
        const which = pastes.get(name);
        if (which === 'all' || which?.has(index) === true) return [`${path}:${lineAt(starts, start)} (${name})`];
      }
      return [];
    });
  });
}

/** Macros that may make a name without writing it, and the files that use them. */
export interface Pasting {
  readonly macros: ReadonlySet<string>;
  readonly files: readonly SourceFile[];
  /** Number of further files that use them. */
  readonly left: number;
  /** The arguments of macros that are pasted to any name. */
  readonly pastes: ReadonlyMap<string, ReadonlySet<number> | 'all'>;
}

/** Finds the macros that can paste a name together, those that use them, and the files with either. */
export async function findPasting(name: string, extensions: readonly string[], use: NavigationUse): Promise<Pasting> {
  const globs = [`**/*.{${extensions.join(',')}}`];
  const mentioning = async (pattern: string): Promise<string[]> => {
    const request = { pattern, globs, path: '.', literal: false, case: 'sensitive', hidden: false, ignore: true, context: 0 } as const;
    const { matches } = await use.search.text({ ...request, perFile: 1, limit: MAX_LINES }, use.workspace, use.signal);
    return [...new Set(matches.map(({ path }) => path))];
  };
  const pasting = await readMentions(await mentioning('##'), MAX_LINES, use);
  const defined = pasting.files.flatMap(({ text }) => macrosIn(text));
  const pastes = pastedArguments(defined);
  const macros = new Set(defined.flatMap((one) => (canPaste(one, name) ? [one.name] : [])));
  if (macros.size === 0) return { macros, files: [], left: 0, pastes };
  for (let round = 0; ; round += 1) {
    const users = await readMentions(await mentioning(String.raw`\b(?:${[...macros].join('|')})\b`), MAX_FILES, use);
    const before = macros.size;
    const words = new RegExp(String.raw`\b(?:${[...macros].join('|')})\b`, 'u');
    for (const { text } of users.files) for (const one of macrosIn(text)) if (words.test(one.body)) macros.add(one.name);
    if (macros.size === before || round >= MAX_ROUNDS) return { macros, files: users.files, left: users.left, pastes };
  }
}

/** Where a macro makes the renamed name, so that it is not written there and cannot be changed. The server has the texts before the rename. */
export async function pastedAt(
  session: CodeSession,
  { source, located, row }: Asked,
  { macros, files, edited, root, use }: Pasting & { readonly edited: readonly EditedFile[]; readonly root: string; readonly use: NavigationUse },
): Promise<string[]> {
  const path = source.serverPath;
  if (macros.size === 0 || path === undefined || !session.offers('referencesProvider')) return [];
  // A server says nothing more about a file that is open already, and would be waited for.
  const closed = files.filter((file) => file.serverPath !== undefined && session.versionOf(file.serverPath) === undefined);
  const [last] = closed;
  if (last !== undefined) {
    const isC = await headersInC(
      [source, ...closed].map((file) => file.path),
      row,
      use,
    );
    openAll(session, row, { source: last, mentions: { files: closed }, isC });
    await session.settle(LOAD_MS);
  }
  const position = { line: located.line - 1, character: located.column };
  const asked: unknown = await session.at('textDocument/references', path, position, { context: { includeDeclaration: true } });
  const texts = new Map([...edited.map((one) => one.source), ...files, source].map((file) => [file.serverPath, file]));
  return readLocations(asked, root).places.flatMap(({ path: at, range: { start } }) => {
    const file = texts.get(at);
    const word = /^\w+/u.exec((file?.lines[start.line] ?? '').slice(start.character))?.[0] ?? '';
    return macros.has(word) ? [`${at}:${start.line + 1} (${word})`] : [];
  });
}
