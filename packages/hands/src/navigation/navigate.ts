import { SynapseError } from '@synapse/protocol';
import { serverFor } from '../lsp/server-table.ts';
import { grammarFor } from '../syntax/grammar.ts';
import { namesOf } from '../syntax/match-symbols.ts';
import { nearest } from '../text/nearest.ts';
import { count } from '../text/amounts.ts';
import { adviseOnce } from './advise-once.ts';
import { type Asked, askServer, type Outcome, type ServerAction } from './ask-server.ts';
import { askSyntax } from './by-syntax.ts';
import { findDeclarations, placeOf } from './find-declarations.ts';
import { locate, type Located } from './locate.ts';
import type { Found, NavigationUse, Wanted } from './navigation-use.ts';
import { ownDefinition } from './own-definition.ts';
import { noGrammar, openSource, type SourceFile, syntaxOf } from './source.ts';
import { withoutPrototypes } from './without-prototypes.ts';
import { ambiguous, notBelow } from './symbol-errors.ts';

/** Symbols of the workspace by name: those named so, or else those whose name contains it. */
export async function findSymbols({ path, symbol, text }: Wanted, use: NavigationUse): Promise<Found> {
  const wanted = symbol ?? text;
  if (wanted === undefined || namesOf(wanted).length === 0)
    throw new SynapseError('invalid_arguments', 'Which symbol? "symbol" is missing.', { hint: 'Give a name, or Class.method.' });
  const exact = await findDeclarations(wanted, path, use);
  const isExact = exact.found.length > 0;
  const { found, left } = isExact ? exact : await findDeclarations(wanted, path, use, { loose: true });
  if (found.length === 0) throw notBelow(path, wanted, 'Use search_text: it may be text, or declared where the syntax does not show it.');
  const near = isExact ? [] : nearest(wanted, new Set(found.map(({ group }) => group.first.name)));
  return {
    kind: 'syntax',
    places: found.map(placeOf),
    total: found.length,
    notes: [
      ...(isExact ? [] : [`none is named exactly so${near.length > 0 ? `, nearest ${near.join(', ')}` : ''}`]),
      ...(left > 0 ? [`${count(left, 'more file')} that name it not looked at: give a path`] : []),
    ],
  };
}

/** The file and the place that are meant. A folder with a symbol means the one declaration below it. */
export async function locateIn(wanted: Wanted, use: NavigationUse): Promise<{ readonly source: SourceFile; readonly located: Located }> {
  const { path, symbol } = wanted;
  if (use.workspace.describe(path).type !== 'directory') {
    const source = await openSource(use.workspace, path);
    using syntax = await syntaxOf(source);
    return { source, located: locate(source, syntax, wanted) };
  }
  if (symbol === undefined)
    throw new SynapseError('invalid_arguments', `${path} is a folder: give the path of a file, or a symbol.`, {
      hint: 'Find symbols by name with action "find".',
    });
  const { found } = await findDeclarations(symbol, path, use);
  const meant = withoutPrototypes(found.map((one) => ({ ...one, lines: one.source.lines })));
  const [only] = meant;
  if (only === undefined) throw notBelow(path, symbol, 'Use action "find" with a part of the name, or search_text.');
  if (meant.length > 1) throw ambiguous(symbol, meant);
  const { name, nameLine, nameColumn } = only.group.first;
  return { source: only.source, located: { name, line: nameLine, column: nameColumn, group: only.group } };
}

function asMeant(
  action: ServerAction,
  found: Found,
  { source, located, row }: Omit<Asked, 'row'> & { readonly row: Asked['row'] | undefined },
): Found {
  return action === 'definition' && row?.pastesNames === true ? ownDefinition(found, source, located) : found;
}

/** Answers a question about a symbol: by a language server, or by the syntax where none works. */
export async function navigate(action: ServerAction, wanted: Wanted, use: NavigationUse): Promise<Found> {
  const { source, located } = await locateIn(wanted, use);
  const place = [`${located.name} at ${source.path}:${located.line}`, ...(located.note === undefined ? [] : [located.note])];
  const known = serverFor(source.path, use.code.rows);
  // Nothing would be found, which is no answer.
  if (known === undefined && grammarFor(source.path) === undefined) throw noGrammar(source.path);
  const outcome: Outcome =
    known === undefined
      ? { why: 'no language server is known for this language' }
      : await askServer(action, { source, located, row: known.row }, use);
  if ('found' in outcome) {
    const found = asMeant(action, outcome.found, { source, located, row: known?.row });
    return { ...found, notes: [...place, ...found.notes] };
  }
  const { why, advice, isFinal = false } = outcome;
  if (action === 'implementations')
    throw new SynapseError('unavailable', `Implementations need a language server: ${why}.`, {
      hint: advice ?? `${isFinal ? 'Use' : 'Repeat the call if it may be ready later. Until then:'} references on the type, or search_text.`,
    });
  const found = await askSyntax(action, { source, located, use });
  const told = advice === undefined ? undefined : adviseOnce(advice, { session: use.origin?.sessionId, root: use.workspace.root });
  return { ...found, notes: [...place, 'by syntax alone', ...found.notes, told === undefined ? why : `${why}. ${told}`] };
}
