import type { CodeSession } from '../lsp/code-servers.ts';
import { readLocations, type ServerPlace } from '../lsp/locations.ts';
import { serverFor } from '../lsp/server-table.ts';
import type { Asked } from './ask-server.ts';
import { collisions, named } from './check-rename.ts';
import type { EditedFile } from './edited-file.ts';
import { errorsOf, filesWith, newErrors } from './new-errors.ts';

/** Milliseconds for the server to read the new texts. */
const LOAD_MS = 20_000;

/** A rename that a server is shown. */
export interface ShownRename extends Pick<Asked, 'located' | 'row'> {
  /** The path of the file that is asked about, as the server reads it. */
  readonly path: string;
  readonly to: string;
  readonly edited: readonly EditedFile[];
  /** The real path of the workspace. */
  readonly root: string;
}

async function references(
  session: CodeSession,
  path: string,
  position: ServerPlace['range']['start'],
  root: string,
): Promise<readonly ServerPlace[]> {
  return readLocations(await session.at('textDocument/references', path, position, { context: { includeDeclaration: true } }), root).places;
}

/** Opens files with a text of them. */
function show(session: CodeSession, edited: readonly EditedFile[], row: Asked['row'], textOf: (file: EditedFile) => string): void {
  for (const file of edited) {
    const language = serverFor(file.source.path, [row])?.language;
    const path = file.source.serverPath;
    if (language !== undefined && path !== undefined) session.open({ path, language, text: textOf(file) });
  }
}

/** Shows a server the new texts, and asks what the name means then, and what is wrong. Returns why the new name collides. */
export async function collision(session: CodeSession, { located, row, path, to, edited, root }: ShownRename): Promise<string | undefined> {
  const place = { line: located.line - 1, character: located.column };
  const shared = filesWith(to, edited);
  show(session, shared, row, ({ source }) => source.text);
  await session.settle(LOAD_MS);
  const before = { places: await references(session, path, place, root), errors: await errorsOf(session, shared, root) };
  show(session, edited, row, ({ newText }) => newText);
  await session.settle(LOAD_MS);
  const moved = edited.find(({ source }) => source.serverPath === path)?.moved(place) ?? place;
  const differ = collisions(before.places, await references(session, path, moved, root));
  if (differ.length > 0) return `${to} would mean something else at ${named(differ)}`;
  const wrong = newErrors(before.errors, await errorsOf(session, shared, root));
  return wrong.length > 0 ? `${to} would be an error at ${named(wrong)}` : undefined;
}
