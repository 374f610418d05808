import { isSynapseError } from '@synapse/protocol';
import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations } from '../lsp/locations.ts';
import type { EditedFile } from './edited-file.ts';
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

/** Places where a name would be left in code and the server does not know what it is, one of each file: what it was asked for may be used there. */
export async function unknownUses(
  session: CodeSession,
  name: string,
  files: readonly SourceFile[],
  edited: readonly EditedFile[],
  root: string,
): Promise<string[]> {
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
