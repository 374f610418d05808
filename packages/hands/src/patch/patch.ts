/** One line of a hunk. */
export interface PatchLine {
  readonly kind: 'context' | 'remove' | 'add';
  /** The line without its line end. */
  text: string;
  /** Whether it ends with CRLF in the patch. */
  carriageReturn: boolean;
  /** Whether the patch says that the file ends without a line end after it. */
  noLineEnd: boolean;
  /** A context line with its first character, in case that character is text and not a mark. */
  readonly raw?: string;
  /** Whether the line has no mark in the patch. */
  readonly unmarked?: true;
}

/** The changes at one place in a file. */
export interface Chunk {
  /** Its first line in the patch, from 1. */
  readonly patchLine: number;
  /** Lines that occur somewhere before the chunk, from the outermost to the innermost. */
  readonly anchors: readonly string[];
  /** The stated first line, from 1. If nothing is removed or kept, the line before the chunk. */
  readonly start: number | undefined;
  /** Whether the patch says that the chunk reaches the end of the file. */
  readonly atEnd: boolean;
  readonly lines: readonly PatchLine[];
  /** Whether its header states other numbers of lines than it has. */
  readonly miscounted?: true;
}

/** The changes to one file. Paths are unchanged from the patch. */
export type FilePatch =
  | {
      readonly kind: 'add';
      readonly path: string;
      readonly patchLine: number;
      readonly lines: readonly PatchLine[];
      readonly mode: number | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly patchLine: number; readonly chunks: readonly Chunk[] }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly patchLine: number;
      /** The new path of the file. */
      readonly to: string | undefined;
      readonly chunks: readonly Chunk[];
      readonly mode: number | undefined;
    };

/** Returns the lines that the file must have for a chunk. `raw` keeps the first character of context lines, for patches without marks. */
export function oldLines({ lines }: Chunk, raw: boolean): string[] {
  // The space of an empty line is its mark, whatever the other lines have.
  const line = ({ kind, text, raw: whole = text }: PatchLine): string => (raw && kind === 'context' && text !== '' ? whole : text);
  return lines.filter(({ kind }) => kind !== 'add').map(line);
}

/** Returns the paths that a patch names for a file. */
export function pathsOf(file: FilePatch): readonly string[] {
  return file.kind === 'update' && file.to !== undefined ? [file.path, file.to] : [file.path];
}

/** Whether a patch depends on the content of a file or renames it. Either would reveal the content to a caller without read access. */
export function readsFile(file: FilePatch): boolean {
  return file.kind === 'update' || (file.kind === 'delete' && file.chunks.length > 0);
}
