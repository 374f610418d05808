import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { readLocations, rangeSchema, type ServerPlaces } from '../lsp/locations.ts';
import { serverFor, type ServerRow } from '../lsp/server-table.ts';
import type { CodeSession } from '../lsp/code-servers.ts';
import { harmlessText } from '../text/terminal-text.ts';
import { count } from '../text/amounts.ts';
import { commandOf, headersInC, type IsHeaderC } from './header-language.ts';
import { inactiveLines } from './inactive-lines.ts';
import type { Located } from './locate.ts';
import { findMentions, readMentions, type Mentions } from './mentions.ts';
import type { Found, NavigationUse } from './navigation-use.ts';
import { isInstalled } from './not-ours.ts';
import { otherUses } from './other-uses.ts';
import { readPlaces, type Showing } from './server-places.ts';
import { reasonOf } from '../lsp/server-reason.ts';
import type { SourceFile } from './source.ts';

/** Milliseconds for one question, with the start of the server. */
const ASK_MS = 25_000;
/** Milliseconds for a server to load the projects of the files that were opened. */
const LOAD_MS = 12_000;
/** Maximum number of files that are opened so that their projects are loaded, one of each folder first. A server takes some 20 ms for each. */
const MAX_OPENED = 40;
const MAX_ABOUT_CHARACTERS = 2_000;
/** Maximum number of items of a call hierarchy that are asked about, and of places of each. */
const MAX_ITEMS = 20;

/** Questions that a server answers about a place. */
export type ServerAction = 'definition' | 'references' | 'implementations' | 'callers' | 'hover';

type Ask = (session: CodeSession, path: string, located: Located, root: string) => Promise<ServerPlaces | { readonly about: string }>;

interface Question {
  /** What the server must offer. */
  readonly provider: string;
  /** Whether the answer depends on what projects are loaded. */
  readonly everywhere: boolean;
  readonly showing: Showing;
  readonly ask: Ask;
}

const positionOf = ({ line, column }: Located) => ({ line: line - 1, character: column });

const simply =
  (method: string, more: object = {}): Ask =>
  async (session, path, located, root) =>
    readLocations(await session.at(`textDocument/${method}`, path, positionOf(located), more), root);

const callSchema = z.object({ from: z.object({ uri: z.string() }), fromRanges: z.array(rangeSchema).max(10_000) });

const askCallers: Ask = async (session, path, located, root) => {
  const items: unknown = await session.at('textDocument/prepareCallHierarchy', path, positionOf(located));
  const places: unknown[] = [];
  for (const item of Array.isArray(items) ? (items as unknown[]).slice(0, MAX_ITEMS) : []) {
    const calls: unknown = await session.request('callHierarchy/incomingCalls', { item });
    for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
      const parsed = callSchema.safeParse(call);
      if (parsed.success) places.push(...parsed.data.fromRanges.map((range) => ({ uri: parsed.data.from.uri, range })));
    }
  }
  return readLocations(places, root);
};

/** The text of what a server says about a place, which may come in several parts and forms. */
function aboutText(contents: unknown): string {
  const parts: unknown[] = Array.isArray(contents) ? (contents as unknown[]) : [contents];
  const texts = parts.map((part) => (typeof part === 'string' ? part : String(Object(part).value ?? '')));
  return harmlessText(texts.join('\n').slice(0, MAX_ABOUT_CHARACTERS * 2))
    .replaceAll(/^```\w*\n?|\n?```$/gmu, '')
    .trim()
    .slice(0, MAX_ABOUT_CHARACTERS)
    .toWellFormed();
}

const askHover: Ask = async (session, path, located, root) => ({
  about: aboutText(Object(await session.at('textDocument/hover', path, positionOf(located))).contents).replaceAll(`${root}/`, ''),
});

const QUESTIONS: Readonly<Record<ServerAction, Question>> = {
  definition: { provider: 'definitionProvider', everywhere: false, showing: 'declaration', ask: simply('definition') },
  references: {
    provider: 'referencesProvider',
    everywhere: true,
    showing: 'line',
    ask: simply('references', { context: { includeDeclaration: true } }),
  },
  implementations: { provider: 'implementationProvider', everywhere: true, showing: 'declaration', ask: simply('implementation') },
  callers: { provider: 'callHierarchyProvider', everywhere: true, showing: 'around', ask: askCallers },
  hover: { provider: 'hoverProvider', everywhere: false, showing: 'line', ask: askHover },
};

/** The file and the others to open with it. */
export interface Opening {
  readonly source: SourceFile;
  readonly mentions: Pick<Mentions, 'files'>;
  readonly isC: IsHeaderC;
}

/** Opens files, the one that is asked about last. Each may belong to another project, which the server then loads. */
export function openAll(session: CodeSession, row: ServerRow, { source, mentions, isC }: Opening): void {
  for (const file of [...mentions.files.filter(({ path }) => path !== source.path), source]) {
    const language = serverFor(file.path, [row])?.language;
    if (language !== undefined && file.serverPath !== undefined)
      session.open({ path: file.serverPath, language, text: file.text, ...commandOf(file.path, isC) });
  }
}

/** Where a server was asked. */
export interface Asked {
  readonly source: SourceFile;
  readonly located: Located;
  readonly row: ServerRow;
}

/** The files that the answer may be in, so that their projects are loaded. */
export async function mentionsOf({ source, located, row }: Asked, most: number, use: NavigationUse): Promise<Mentions> {
  // A project may be in a hidden folder, such as that of a tool.
  const { paths, isWhole } = await findMentions(located.name, { extensions: Object.keys(row.languages), hidden: true }, use);
  const others = paths.filter((path) => path !== source.path && !isInstalled(path));
  return await readMentions(others, most, use, isWhole);
}

/** What a question came to: an answer, or why there is none. */
export type Outcome =
  | { readonly found: Found }
  | {
      readonly why: string;
      /** What a person can do. */
      readonly advice?: string;
      /** Whether the server never answers such a question. */
      readonly isFinal?: true;
    };

const NO_MENTIONS: Mentions = { files: [], left: 0, isWhole: true };

type ServerAnswer = Awaited<ReturnType<Ask>>;

const isNothing = (answer: ServerAnswer): boolean => ('about' in answer ? answer.about === '' : answer.places.length + answer.outside.length === 0);

/** Asks again after a while if the server refuses, or knows nothing: some do while they load the project. */
async function askTwice(
  session: CodeSession,
  ask: () => Promise<ServerAnswer>,
  root: string,
): Promise<{ readonly answer: ServerAnswer } | { readonly reason: string }> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await ask();
      if (tries > 0 || !isNothing(answer)) return { answer };
      await session.settle(LOAD_MS);
    } catch (error) {
      const reason = reasonOf(error, root);
      if (reason === undefined) throw error;
      if (tries > 0) return { reason };
      await session.settle(LOAD_MS);
    }
  }
}

/** Where an answer comes from, and what it may lack. */
function notesOf(
  origin: string,
  { files, left, isWhole }: Mentions,
  trouble: string | undefined,
  { isLoaded, isDropped }: { readonly isLoaded: boolean; readonly isDropped: boolean },
): string[] {
  return [
    `${origin}${files.length > 0 ? `, with ${count(files.length, 'other file')} open that name it` : ''}`,
    ...(left > 0 ? [`of ${count(left, 'more file')} that name it, any in a project of its own may be missing`] : []),
    ...(isWhole ? [] : ['the search for files that name it ended early, so some may be missing']),
    ...(trouble === undefined ? [] : [`some may be missing, as the server says: ${trouble}`]),
    ...(isDropped ? ['the preprocessor drops that line, so the server guesses: it may be another thing of that name'] : []),
    ...(isLoaded ? [] : ['the server still loads projects, so some may be missing: repeat the call']),
  ];
}

/** What a list of uses leaves out. */
async function othersOf(action: ServerAction, name: string, files: readonly SourceFile[], places: ServerPlaces['places']): Promise<string[]> {
  if (action === 'references') return await otherUses(name, files, places, 'use');
  return action === 'callers' ? await otherUses(name, files, places, 'call') : [];
}

/** Why a server did not answer. Throws again what is no fault of it. */
function unanswered(error: unknown, row: ServerRow, { aborted: isOver }: AbortSignal, { aborted: isLate }: AbortSignal): Outcome {
  if (isOver) throw error;
  if (isLate) return { why: `the language server of ${row.name} did not answer within ${ASK_MS / 1000} s` };
  if (!isSynapseError(error) || !['unavailable', 'approval_required', 'tool_failed'].includes(error.code)) throw error;
  return { why: error.message.replace(/\.$/u, ''), ...(error.hint === undefined ? {} : { advice: error.hint }) };
}

/** Asks a server about a place, with everything loaded that mentions the name. */
export async function askServer(action: ServerAction, asked: Asked, use: NavigationUse): Promise<Outcome> {
  const { source, located, row } = asked;
  const question = QUESTIONS[action];
  const path = source.serverPath;
  if (path === undefined) return { why: 'the name of the file is not UTF-8, which language servers cannot read' };
  const signal = AbortSignal.any([use.signal, AbortSignal.timeout(ASK_MS)]);
  try {
    const mentions = question.everywhere ? await mentionsOf(asked, MAX_OPENED, use) : NO_MENTIONS;
    const isC = await headersInC(
      [source, ...mentions.files].map((file) => file.path),
      row,
      use,
    );
    const paths = [path, ...mentions.files.flatMap((file) => file.serverPath ?? [])];
    const { answer, origin } = await use.code.converse(
      row,
      paths,
      async (session) => {
        if (!session.offers(question.provider)) return undefined;
        openAll(session, row, { source, mentions, isC });
        const isLoaded = question.everywhere ? await session.settle(LOAD_MS) : true;
        const outcome = await askTwice(session, () => question.ask(session, path, located, use.workspace.root), use.workspace.root);
        const isDropped = row.pastesNames === true && (await inactiveLines(session, path)).has(located.line);
        return { isLoaded, isDropped, trouble: session.trouble, ...outcome };
      },
      signal,
    );
    if (answer === undefined) return { why: `${origin} cannot answer that`, isFinal: true };
    const { trouble } = answer;
    if (trouble !== undefined && ('reason' in answer || isNothing(answer.answer))) {
      return { why: `${origin} says: ${trouble.reason}`, ...(trouble.advice === undefined ? {} : { advice: trouble.advice }) };
    }
    if ('reason' in answer) return { why: `${origin} says: ${answer.reason}` };
    const notes = notesOf(origin, mentions, trouble?.reason, answer);
    if ('about' in answer.answer && answer.answer.about === '') return { why: `${origin} says nothing about it` };
    if ('about' in answer.answer) return { found: { kind: 'server', places: [], total: 0, notes, about: answer.answer.about } };
    const read = await readPlaces(answer.answer, question.showing, use);
    const others = await othersOf(action, located.name, [source, ...mentions.files], answer.answer.places);
    return { found: { kind: 'server', places: read.places, total: read.total, notes: [...notes, ...read.notes, ...others] } };
  } catch (error) {
    return unanswered(error, row, use.signal, signal);
  }
}
