import * as z from 'zod';
import { pathBelow, rangeSchema, type ServerPlace } from './locations.ts';

/** Maximum number of edits of one answer. */
const MAX_EDITS = 50_000;

const textEdit = z.object({ range: rangeSchema, newText: z.string().max(10_000) });
const documentEdit = z.object({ textDocument: z.object({ uri: z.string(), version: z.unknown() }), edits: z.array(textEdit) });
const workspaceEdit = z.object({ changes: z.record(z.string(), z.array(textEdit)).optional(), documentChanges: z.array(z.unknown()).optional() });

/** A replacement in a file, by a server's lines and columns. */
export interface ServerEdit {
  readonly range: ServerPlace['range'];
  readonly newText: string;
}

/** What a server would change. */
export interface ServerChange {
  /** By path below the root. */
  readonly files: ReadonlyMap<string, readonly ServerEdit[]>;
  /** Why it cannot be done as a whole; undefined if it can. */
  readonly refused: string | undefined;
}

const nameOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1, uri.lastIndexOf('/') + 80);

type Documents = { uri: string; version?: unknown; edits: readonly ServerEdit[] }[];

/** The documents of an edit; undefined if files would also be created, moved or deleted. */
function documentsIn({ documentChanges, changes }: z.output<typeof workspaceEdit>): Documents | undefined {
  const documents: Documents = [];
  for (const one of documentChanges ?? []) {
    const document = documentEdit.safeParse(one);
    if (!document.success) return undefined;
    documents.push({ ...document.data.textDocument, edits: document.data.edits });
  }
  // By the protocol, `documentChanges` replaces `changes`.
  if (documents.length === 0) for (const [uri, edits] of Object.entries(changes ?? {})) documents.push({ uri, edits });
  return documents;
}

/**
 * Reads the edit of a server. Nothing of it is done if a part of it cannot be: a part of a rename is no rename.
 *
 * @param root the real path of the workspace
 * @param versionOf the version in which the server got the text of a file; undefined if it read it from the disk
 */
export function readWorkspaceEdit(answer: unknown, root: string, versionOf: (path: string) => number | undefined): ServerChange {
  const files = new Map<string, ServerEdit[]>();
  const refuse = (refused: string): ServerChange => ({ files: new Map(), refused });
  if (answer === null || answer === undefined) return refuse('the server knows nothing to rename there');
  const parsed = workspaceEdit.safeParse(answer);
  if (!parsed.success) return refuse('the answer of the server is malformed');
  const documents = documentsIn(parsed.data);
  if (documents === undefined) return refuse('the server would also create, move or delete files');
  let count = 0;
  for (const { uri, version, edits } of documents) {
    if (edits.length === 0) continue;
    const path = pathBelow(uri, root);
    if (path === undefined) return refuse(`it would also change ${nameOf(uri)}, which is outside the workspace`);
    const opened = versionOf(path);
    if (typeof version === 'number' && opened !== undefined && version !== opened) return refuse(`the server answers for another text of ${path}`);
    count += edits.length;
    files.set(path, [...(files.get(path) ?? []), ...edits]);
  }
  if (count > MAX_EDITS) return refuse(`it has more than ${MAX_EDITS.toLocaleString('en')} places`);
  return { files, refused: count === 0 ? 'the server found no place to change' : undefined };
}
