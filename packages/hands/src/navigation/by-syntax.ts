import { GRAMMARS, grammarFor } from '../syntax/grammar.ts';
import type { NameUse } from '../syntax/read-uses.ts';
import { count } from '../text/amounts.ts';
import type { ServerAction } from './ask-server.ts';
import { findDeclarations, placeOf, shownLine } from './find-declarations.ts';
import { isCall } from './calls.ts';
import type { Located } from './locate.ts';
import { mentioning, readMentions } from './mentions.ts';
import type { Found, FoundPlace, NavigationUse } from './navigation-use.ts';
import { around } from './server-places.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** What the syntax can tell: not what implements what. */
export type SyntaxAction = Exclude<ServerAction, 'implementations'>;

/** Maximum number of files that are parsed. */
const MAX_FILES = 300;
/** Maximum number of lines of a declaration that are shown. */
const MAX_HEAD_LINES = 12;

/** A place that is asked about, without a server. */
export interface SyntaxQuestion {
  readonly source: SourceFile;
  readonly located: Located;
  readonly use: NavigationUse;
}

/** Extensions of files in the same language. */
function sameLanguage(path: string): string[] {
  const grammar = grammarFor(path);
  const family = (name: string | undefined): string => (name === 'tsx' || name === 'javascript' ? 'typescript' : (name ?? ''));
  return GRAMMARS.filter(({ name }) => family(name) === family(grammar?.name)).flatMap(({ extensions }) => extensions);
}

async function declarations({ source, located, use }: SyntaxQuestion): Promise<Found> {
  const { name, group } = located;
  if (group !== undefined) return { kind: 'syntax', places: [placeOf({ path: source.path, group, source })], total: 1, notes: [] };
  const { found, left } = await findDeclarations(name, '.', use, { extensions: sameLanguage(source.path) });
  return {
    kind: 'syntax',
    places: found.map(placeOf),
    total: found.length,
    notes: left > 0 ? [`${count(left, 'file')} that name it not looked at`] : [],
  };
}

/** What is not among the uses that are shown. */
function notShown({ string, comment }: Record<Exclude<NameUse['as'], 'code'>, number>, left: number): string[] {
  return [
    ...(string + comment > 0 ? [`${count(string, 'use')} in strings and ${comment} in comments left out`] : []),
    ...(left > 0 ? [`${count(left, 'more file')} that name it not looked at`] : []),
  ];
}

/** Uses of a name in all files of the language. Another symbol of that name counts, too. */
async function uses({ source, located, use }: SyntaxQuestion, onlyCalls: boolean): Promise<Found> {
  const paths = await mentioning(located.name, sameLanguage(source.path), '.', use);
  const { files, left } = await readMentions(paths, MAX_FILES, use);
  const places: FoundPlace[] = [];
  const others: Record<Exclude<NameUse['as'], 'code'>, number> = { string: 0, comment: 0 };
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    use.signal.throwIfAborted();
    using syntax = await syntaxOf(file);
    const symbols = syntax?.symbols() ?? [];
    for (const one of syntax?.usesOf(located.name) ?? []) {
      const { line, as } = one;
      if (as !== 'code') {
        others[as] += 1;
        continue;
      }
      if (onlyCalls && !isCall(located.name, one, file.lines[line - 1] ?? '', symbols)) continue;
      const inside = around(symbols, line);
      places.push({
        path: file.path,
        line,
        text: shownLine(file.lines, line),
        ...(onlyCalls && inside !== undefined ? { symbol: inside.path, kind: inside.kind } : {}),
      });
    }
  }
  return {
    kind: 'syntax',
    places,
    total: places.length,
    notes: ['every use of the name, also for other symbols of that name', ...notShown(others, left)],
  };
}

async function head(question: SyntaxQuestion): Promise<Found> {
  const found = await declarations(question);
  const { source, located } = question;
  const [place] = found.places;
  if (located.group === undefined || place === undefined) return found;
  const { line, endLine } = located.group;
  const lines = source.lines.slice(line - 1, Math.min(endLine, line - 1 + MAX_HEAD_LINES));
  const end = lines.findIndex((text) => /[{:]\s*$/u.test(text));
  return { ...found, about: lines.slice(0, end === -1 ? 1 : end + 1).join('\n') };
}

const ANSWERS: Readonly<Record<SyntaxAction, (question: SyntaxQuestion) => Promise<Found>>> = {
  definition: declarations,
  references: (question) => uses(question, false),
  callers: (question) => uses(question, true),
  hover: head,
};

/** Answers from the syntax alone. */
export async function askSyntax(action: SyntaxAction, question: SyntaxQuestion): Promise<Found> {
  return await ANSWERS[action](question);
}
