import { isSynapseError } from '@synapse/protocol';
import type { ServerPlace, ServerPlaces } from '../lsp/locations.ts';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import { count } from '../text/amounts.ts';
import { shownLine } from './find-declarations.ts';
import type { FoundPlace, NavigationUse } from './navigation-use.ts';
import { openSource, type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of files whose lines are shown. */
const MAX_FILES = 300;

/** The innermost function, method or class around a line. */
export function around(symbols: readonly CodeSymbol[], line: number): CodeSymbol | undefined {
  return symbols.findLast((one) => one.line <= line && line <= one.endLine && one.kind !== 'field');
}

/** The declaration whose name stands at a place. */
const declaredAt = (symbols: readonly CodeSymbol[], { start }: ServerPlace['range']): CodeSymbol | undefined =>
  symbols.find(({ nameLine, line }) => nameLine === start.line + 1 || line === start.line + 1);

/** Whether a range is in a text: a server may answer for an earlier one. */
function fits({ lines }: SourceFile, { start, end }: ServerPlace['range']): boolean {
  const line = lines[start.line];
  return (
    line !== undefined && start.character <= line.length && end.line < lines.length + 1 && (end.line > start.line || end.character >= start.character)
  );
}

/** How places are shown. */
export type Showing = 'line' | 'declaration' | 'around';

async function placesIn(source: SourceFile, places: readonly ServerPlace[], showing: Showing): Promise<FoundPlace[]> {
  using syntax = showing === 'line' ? undefined : await syntaxOf(source);
  const symbols = syntax?.symbols() ?? [];
  return places.map(({ path, range }) => {
    const line = range.start.line + 1;
    const found = { path, line, text: shownLine(source.lines, line) };
    const one = showing === 'declaration' ? declaredAt(symbols, range) : around(symbols, line);
    if (one === undefined) return found;
    return showing === 'declaration'
      ? { ...found, line: one.line, end_line: one.endLine, symbol: one.path, kind: one.kind }
      : { ...found, symbol: one.path, kind: one.kind };
  });
}

/** The places of an answer, as they are now on disk, and only where this call may read. */
export async function readPlaces(
  { places, outside, malformed }: ServerPlaces,
  showing: Showing,
  { workspace, signal }: NavigationUse,
): Promise<{ readonly places: readonly FoundPlace[]; readonly total: number; readonly notes: string[] }> {
  const byPath = [...Map.groupBy(places, ({ path }) => path)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const found: FoundPlace[] = [];
  let hidden = 0;
  let stale = 0;
  for (const [path, inFile] of byPath.slice(0, MAX_FILES)) {
    signal.throwIfAborted();
    let source: SourceFile;
    try {
      source = await openSource(workspace, path);
    } catch (error) {
      // What this call must not read is not told, and what is gone is not there.
      if (!isSynapseError(error)) throw error;
      hidden += inFile.length;
      continue;
    }
    const right = inFile.filter(({ range }) => fits(source, range));
    stale += inFile.length - right.length;
    const sorted = right.toSorted((a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character);
    found.push(...(await placesIn(source, sorted, showing)));
  }
  const left = byPath.slice(MAX_FILES).flatMap(([, inFile]) => inFile);
  return {
    places: found,
    total: found.length + left.length,
    notes: [
      ...(outside.length > 0 ? [`${count(outside.length, 'file')} outside the workspace: ${outside.slice(0, 3).join(', ')}`] : []),
      ...(hidden > 0 ? [`${count(hidden, 'place')} in files that cannot be read`] : []),
      ...(stale + malformed > 0 ? [`${count(stale + malformed, 'place')} of the server left out, which no file has`] : []),
    ],
  };
}
