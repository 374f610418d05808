import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations } from '../lsp/locations.ts';
import type { ServerRow } from '../lsp/server-table.ts';
import { named } from './check-rename.ts';
import type { EditedFile } from './edited-file.ts';
import type { Located } from './locate.ts';
import { reasonOf } from '../lsp/server-reason.ts';
import type { SourceFile } from './source.ts';

/** A rename as the server answered it. */
interface RenamedMember {
  readonly located: Located;
  /** Path of its file for the server. */
  readonly path: string;
  readonly row: Pick<ServerRow, 'leavesImplementers'>;
  readonly root: string;
}

/**
 * Why a renamed method would no longer be what implements another one, or is implemented by it; undefined if it stays so. Where a type implements
 * what has its methods, without saying so, a server may leave the other methods, and the code may even compile: a program that asks whether a value
 * has the methods then does something else.
 *
 * @param files those that have the name
 */
export async function leftImplementers(
  session: CodeSession,
  { located, path, row, root }: RenamedMember,
  files: readonly SourceFile[],
  edited: readonly EditedFile[],
): Promise<string | undefined> {
  if (row.leavesImplementers !== true || !session.offers('implementationProvider')) return undefined;
  let answer: unknown;
  try {
    answer = await session.at('textDocument/implementation', path, { line: located.line - 1, character: located.column });
  } catch (error) {
    // Such as for what is neither a type nor a method.
    if (reasonOf(error, root) === undefined) throw error;
    return undefined;
  }
  const { name } = located;
  const { places, outside } = readLocations(answer, root);
  const sources = new Map(files.map((file) => [file.serverPath, file]));
  const renamed = new Map(edited.map((file) => [file.source.serverPath, file]));
  // Those of a type are types with names of their own.
  const isNamed = places.filter(
    ({ path: at, range: { start, end } }) => sources.get(at)?.lines[start.line]?.slice(start.character, end.character) === name,
  );
  const left = isNamed.filter(({ path: at, range: { start } }) => renamed.get(at)?.touches(start.line + 1, start.character) !== true);
  if (left.length > 0) {
    const at = left.map(({ path: file, range }) => `${sources.get(file)?.path ?? file}:${range.start.line + 1}`);
    return `the server leaves out what implements it, or is implemented by it: ${named(at)}`;
  }
  const isMember = isNamed.length > 0 || places.length === 0;
  return isMember && outside.length > 0 ? `code outside of the workspace implements it, or is implemented by it: ${named(outside)}` : undefined;
}
