import { isSynapseError, SynapseError } from '@synapse/protocol';
import { StructureSearch } from '../structure/structure-search.ts';
import { MAX_MATCHES, type StructureMatch } from '../structure/messages.ts';
import { partsNotKept, unknownParts, wordOf } from '../structure/template.ts';
import { GRAMMARS, grammarFor } from '../syntax/grammar.ts';
import { count } from '../text/amounts.ts';
import { named } from './check-rename.ts';
import { shownLine } from './find-declarations.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import { mentioning } from './mentions.ts';
import type { FoundPlace, NavigationUse } from './navigation-use.ts';
import { openSource, type SourceFile } from './source.ts';

/** Maximum number of files that are looked at, and of characters of one. Larger files are data or generated: 500 KB take about a second. */
const MAX_FILES = 2_000;
const MAX_CHARACTERS = 500_000;
/** Milliseconds for all files. */
const SEARCH_MS = 20_000;

/** A pattern to find, below a path. */
export interface WantedStructure {
  readonly path: string;
  readonly pattern: string;
  /** What replaces each match; undefined to search only. */
  readonly replacement: string | undefined;
}

/** A file with what matches in it. */
export interface MatchedFile {
  readonly source: SourceFile;
  readonly matches: readonly StructureMatch[];
  /** Number of matches inside of others that are replaced. */
  readonly inner: number;
}

/** What was found, and what was not looked at. */
export interface Structures {
  readonly files: readonly MatchedFile[];
  readonly notes: readonly string[];
  /** Whether everything was looked at. */
  readonly isWhole: boolean;
}

const LANGUAGES = [...new Set(GRAMMARS.map(({ language }) => language))].join(', ');
const EXTENSIONS = GRAMMARS.flatMap(({ extensions }) => extensions);

/** Paths that may match: of a known language, and with a word of the pattern. */
async function candidates({ path, pattern }: WantedStructure, use: NavigationUse): Promise<readonly string[]> {
  if (use.workspace.describe(path).type !== 'directory') return [path];
  const word = wordOf(pattern);
  if (word !== undefined) return await mentioning(word, EXTENSIONS, path, use);
  const globs = EXTENSIONS.map((extension) => `**/*.${extension}`);
  const found = await use.search.files({ path, globs, hidden: false, ignore: true, limit: MAX_FILES + 1 }, use.workspace, use.signal);
  return found.files.map((file) => file.path);
}

/**
 * Finds code by its structure.
 *
 * @throws SynapseError `invalid_arguments` for a pattern that is code of no language of the files, or an unknown part in the replacement
 */
export async function findStructures(wanted: WantedStructure, use: NavigationUse): Promise<Structures> {
  assertParts(wanted);
  const paths = (await candidates(wanted, use)).toSorted();
  assertSyntax(wanted.path, paths);
  const chosen = paths.slice(0, MAX_FILES);
  const looks: Looks = { files: [], tooLarge: [], tooMany: [], problems: new Map(), looked: 0, unread: 0 };
  const deadline = AbortSignal.timeout(SEARCH_MS);
  await using search = await StructureSearch.open();
  try {
    for (const one of chosen)
      await lookAt(one, wanted, use, looks, async (request) => await search.find(request, AbortSignal.any([use.signal, deadline])));
  } catch (error) {
    if (use.signal.aborted || !deadline.aborted) throw error;
  }
  const { files, tooLarge, tooMany, problems, looked } = looks;
  if (problems.size > 0 && problems.size === looked) throw noPattern(wanted.pattern, problems);
  const left = paths.length - chosen.length;
  const isWhole = tooLarge.length === 0 && tooMany.length === 0 && left === 0 && !deadline.aborted;
  return { files, notes: notesOf(wanted.pattern, looks, left, deadline.aborted), isWhole };
}

type Find = (request: Parameters<StructureSearch['find']>[0]) => ReturnType<StructureSearch['find']>;

/** What a search came by so far. */
interface Looks {
  readonly files: MatchedFile[];
  readonly tooLarge: string[];
  /** With more matches than are taken. */
  readonly tooMany: string[];
  /** Why the pattern is no code, by language. */
  readonly problems: Map<string, string>;
  looked: number;
  /** Closed to the caller, or no text. */
  unread: number;
}

function assertParts({ pattern, replacement }: WantedStructure): void {
  if (replacement === undefined) return;
  const lost = partsNotKept(pattern, replacement);
  if (lost.length > 0)
    throw new SynapseError('invalid_arguments', `to: ${lost.join(', ')} would put in nothing: the code of such a part is not kept.`, {
      hint: 'Name it in both, with a capital letter first: $X for one part, $$$XS for any number.',
    });
  const unknown = unknownParts(pattern, replacement);
  if (unknown.length === 0) return;
  throw new SynapseError('invalid_arguments', `to: ${unknown.join(', ')} is not in the pattern.`, { hint: `Give it a part of: ${pattern}` });
}

function assertSyntax(path: string, paths: readonly string[]): void {
  if (paths.length !== 1 || paths[0] !== path || grammarFor(path) !== undefined) return;
  throw new SynapseError('unavailable', `The syntax of files such as ${path} is not known.`, { hint: `Use search_text. Known are ${LANGUAGES}.` });
}

async function lookAt(path: string, wanted: WantedStructure, use: NavigationUse, looks: Looks, find: Find): Promise<void> {
  const grammar = grammarFor(path);
  if (grammar === undefined || looks.problems.has(grammar.language)) return;
  const source = await sourceOf(path, path === wanted.path, use);
  if (source === 'gone') return;
  if (source === 'unreadable') {
    looks.unread += 1;
    return;
  }
  if (source === 'too_large' || source.text.length > MAX_CHARACTERS) {
    looks.tooLarge.push(path);
    return;
  }
  const answer = await find({ grammar: grammar.name, text: source.text, pattern: wanted.pattern, replacement: wanted.replacement });
  looks.looked += 1;
  if ('problem' in answer) {
    looks.problems.set(grammar.language, answer.problem);
    return;
  }
  if (answer.matches.length > 0) looks.files.push({ source, matches: answer.matches, inner: answer.inner });
  if (answer.hasMore) looks.tooMany.push(path);
}

function notesOf(pattern: string, { files, tooLarge, tooMany, problems, looked, unread }: Looks, left: number, isLate: boolean): string[] {
  return [
    ...(files.length === 0 ? [unmatched(pattern, looked)] : []),
    ...Array.from(problems, ([language, why]) => `not looked at in ${language}: ${why}`),
    ...(tooLarge.length > 0 ? [`too large: ${named(tooLarge)}`] : []),
    // By number only: a file may be closed to the caller.
    ...(unread > 0 ? [`${count(unread, 'file')} not looked at: closed, or no text`] : []),
    ...(tooMany.length > 0 ? [`more than ${MAX_MATCHES.toLocaleString('en-US')} matches: ${named(tooMany)}`] : []),
    ...(left > 0 ? [`${count(left, 'more file')} not looked at: narrow the path`] : []),
    ...(isLate ? [`the time was up after ${count(looked, 'file')}: narrow the path`] : []),
  ];
}

/** What to know where nothing matches: how much was looked at, and that a part stands for one piece of code alone. */
function unmatched(pattern: string, looked: number): string {
  const word = wordOf(pattern);
  const where = `in ${count(looked, 'file')} of code${word === undefined ? '' : ` with the word ${word}`}`;
  if (looked === 0) return `${where}; it looks at ${LANGUAGES}, and search_text at all files`;
  return /(?<!\$)\$[A-Z_]/u.test(pattern) ? `${where}; $X stands for exactly one part, $$$X for any number` : where;
}

/** The matches as places. */
export function placesOf(files: readonly MatchedFile[]): FoundPlace[] {
  return files.flatMap(({ source: { path, text, lines }, matches }) => {
    const starts = lineStarts(text);
    return matches.map(({ start, end }) => {
      const [line, last] = [lineAt(starts, start), lineAt(starts, end)];
      return { path, line, ...(last === line ? {} : { end_line: last }), text: shownLine(lines, line) };
    });
  });
}

function noPattern(pattern: string, problems: ReadonlyMap<string, string>): SynapseError {
  const [[language, why] = ['', '']] = problems;
  return new SynapseError('invalid_arguments', `text: the pattern is no code of ${language}: ${why}.`, {
    hint: `Give one whole expression, statement or declaration, with $X for a part of it and $$$X for any number: ${pattern.slice(0, 60)}`,
  });
}

/** A file that may match, or why it is not read. The file that was asked for has to be readable. */
async function sourceOf(
  path: string,
  isAsked: boolean,
  { workspace, signal }: NavigationUse,
): Promise<SourceFile | 'gone' | 'too_large' | 'unreadable'> {
  signal.throwIfAborted();
  try {
    return await openSource(workspace, path);
  } catch (error) {
    if (isAsked || !isSynapseError(error)) throw error;
    return error.code === 'not_found' ? 'gone' : error.code === 'too_large' ? 'too_large' : 'unreadable';
  }
}
