import { isSynapseError } from '@synapse/protocol';
import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations } from '../lsp/locations.ts';
import type { EditedFile } from './edited-file.ts';
import { lineStarts } from './line-starts.ts';
import { reasonOf } from './server-reason.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of files of which a place is asked about. */
const MAX_FILES = 60;

/** Whether the server knows what is declared with the name at a place. */
async function isKnown(session: CodeSession, path: string, position: { line: number; character: number }, root: string): Promise<boolean> {
  try {
    const { places, outside } = readLocations(await session.at('textDocument/definition', path, position), root);
    return places.length + outside.length > 0;
  } catch (error) {
    if (isSynapseError(error) || reasonOf(error, root) === undefined) throw error;
    return false;
  }
}

/** Whether a rename changes places within one function alone, and no name that can be used outside of it. */
async function isLocal([only, ...others]: readonly EditedFile[]): Promise<boolean> {
  if (only === undefined || others.length > 0) return false;
  using syntax = await syntaxOf(only.source);
  const symbols = syntax?.symbols() ?? [];
  if (symbols.some(({ nameLine, nameColumn }) => only.touches(nameLine, nameColumn))) return false;
  const starts = lineStarts(only.source.text);
  const bounds = [only.replacements[0]?.start, only.replacements.at(-1)?.start];
  return symbols.some(({ kind, line, endLine }) => {
    const [start, end] = [starts[line - 1] ?? Number.POSITIVE_INFINITY, starts[endLine] ?? Number.POSITIVE_INFINITY];
    return (kind === 'function' || kind === 'method') && bounds.every((at) => at !== undefined && at >= start && at < end);
  });
}

/** Places where a name would be left in code and the server does not know what it is, one of each file: what it was asked for may be used there. */
export async function unknownUses(
  session: CodeSession,
  name: string,
  files: readonly SourceFile[],
  edited: readonly EditedFile[],
  root: string,
): Promise<string[]> {
  if (await isLocal(edited)) return [];
  const byPath = new Map(edited.map((one) => [one.source.path, one]));
  const unknown: string[] = [];
  let asked = 0;
  for (const file of files) {
    using syntax = await syntaxOf(file);
    const left = syntax?.usesOf(name).find(({ line, column, as }) => as === 'code' && byPath.get(file.path)?.touches(line, column) !== true);
    if (left === undefined || file.serverPath === undefined || asked >= MAX_FILES) continue;
    asked += 1;
    if (!(await isKnown(session, file.serverPath, { line: left.line - 1, character: left.column }, root))) unknown.push(`${file.path}:${left.line}`);
  }
  return unknown;
}
