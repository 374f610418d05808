/** One line of a hunk. */
export interface PatchLine {
  readonly kind: 'context' | 'remove' | 'add';
  /** Without its line end. */
  text: string;
  /** Whether it ends with CRLF in the patch. */
  carriageReturn: boolean;
  /** Whether the patch says that the file ends without a line end after it. */
  noLineEnd: boolean;
  /** An unchanged line as it stands in the patch, should its first character be no mark but part of it. */
  readonly raw?: string;
  /** Whether it stands there without a mark. */
  readonly unmarked?: true;
}

/** A place of a file and what changes there. */
export interface Chunk {
  /** Where it begins in the patch, from 1. */
  readonly patchLine: number;
  /** Lines that stand somewhere before it, from the outside to the inside. */
  readonly anchors: readonly string[];
  /** The line where it is said to begin, from 1; where nothing is removed or kept, the line before it. */
  readonly start: number | undefined;
  /** Whether it is said to reach to the end of the file. */
  readonly atEnd: boolean;
  readonly lines: readonly PatchLine[];
}

/** What a patch does with one file. Paths are as the patch has them. */
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
      /** Where the file moves to. */
      readonly to: string | undefined;
      readonly chunks: readonly Chunk[];
      readonly mode: number | undefined;
    };

/** The lines that must be in the file for a chunk to apply; `raw` takes unchanged lines as they stand, for patches without marks before them. */
export function oldLines({ lines }: Chunk, raw: boolean): string[] {
  return lines.flatMap(({ kind, text, raw: whole = text }) => (kind === 'add' ? [] : [raw && kind === 'context' ? whole : text]));
}

/** The paths that a patch names for a file. */
export function pathsOf(file: FilePatch): readonly string[] {
  return file.kind === 'update' && file.to !== undefined ? [file.path, file.to] : [file.path];
}

/** Whether a patch depends on what a file holds, or gives that another name: either tells it to whoever may not read it. */
export function readsFile(file: FilePatch): boolean {
  return file.kind === 'update' || (file.kind === 'delete' && file.chunks.length > 0);
}
