import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations } from '../lsp/locations.ts';
import { type Asked, openAll } from './ask-server.ts';
import type { EditedFile } from './edited-file.ts';
import { escaped, readMentions } from './mentions.ts';
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

/** Whether a macro can paste a name together, with some arguments. */
export function canPaste({ body, parameters }: Macro, name: string): boolean {
  return Array.from(body.matchAll(PASTED)).some(([sequence]) => {
    const parts = sequence.split(/\s*##\s*/u).map((part) => (parameters.has(part) ? String.raw`\w*` : escaped(part)));
    return new RegExp(`^${parts.join('')}$`, 'u').test(name);
  });
}

/** Macros that may make a name without writing it, and the files that use them. */
export interface Pasting {
  readonly macros: ReadonlySet<string>;
  readonly files: readonly SourceFile[];
  /** Number of further files that use them. */
  readonly left: number;
}

const NONE: Pasting = { macros: new Set(), files: [], left: 0 };

/** Finds the macros that can paste a name together, those that use them, and the files with either. */
export async function findPasting(name: string, extensions: readonly string[], use: NavigationUse): Promise<Pasting> {
  const globs = [`**/*.{${extensions.join(',')}}`];
  const mentioning = async (pattern: string): Promise<string[]> => {
    const request = { pattern, globs, path: '.', literal: false, case: 'sensitive', hidden: false, ignore: true, context: 0 } as const;
    const { matches } = await use.search.text({ ...request, perFile: 1, limit: MAX_LINES }, use.workspace, use.signal);
    return [...new Set(matches.map(({ path }) => path))];
  };
  const pasting = await readMentions(await mentioning('##'), MAX_LINES, use);
  const macros = new Set(pasting.files.flatMap(({ text }) => macrosIn(text).flatMap((one) => (canPaste(one, name) ? [one.name] : []))));
  if (macros.size === 0) return NONE;
  for (let round = 0; ; round += 1) {
    const users = await readMentions(await mentioning(String.raw`\b(?:${[...macros].join('|')})\b`), MAX_FILES, use);
    const before = macros.size;
    const words = new RegExp(String.raw`\b(?:${[...macros].join('|')})\b`, 'u');
    for (const { text } of users.files) for (const one of macrosIn(text)) if (words.test(one.body)) macros.add(one.name);
    if (macros.size === before || round >= MAX_ROUNDS) return { macros, files: users.files, left: users.left };
  }
}

/** Where a macro makes the renamed name, so that it is not written there and cannot be changed. The server has the texts before the rename. */
export async function pastedAt(
  session: CodeSession,
  { source, located, row }: Asked,
  { macros, files, edited, root, isC }: Pasting & { readonly edited: readonly EditedFile[]; readonly root: string; readonly isC: boolean },
): Promise<string[]> {
  const path = source.serverPath;
  if (macros.size === 0 || path === undefined || !session.offers('referencesProvider')) return [];
  // A server says nothing more about a file that is open already, and would be waited for.
  const closed = files.filter((file) => file.serverPath !== undefined && session.versionOf(file.serverPath) === undefined);
  const [last] = closed;
  if (last !== undefined) {
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
