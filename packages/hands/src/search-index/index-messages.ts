/** What the thread is started with. */
export interface IndexStart {
  /** The descriptor of the workspace, which stays open as long as the thread. */
  readonly root: number;
}

/** Files to read, with their numbers. A number always has the same path until all files are forgotten. */
export interface FilesToRead {
  readonly files: ReadonlyArray<{ readonly id: number; readonly path: string }>;
  /** Bits of a filter for each of its grams, at least, unless it is the longest. */
  readonly bitsPerGram: number;
}

/** An order to the thread: to read files, or to find those that are no longer as they were read. */
export type IndexOrder = ({ readonly kind: 'read' } & FilesToRead) | { readonly kind: 'forget' } | { readonly kind: 'sweep' };

/** A file as it was read. That it is gone counts only once the folder index says so: it may be there again. */
export interface ReadFile {
  /** Undefined if the file must always be searched. */
  readonly filter: Uint8Array | undefined;
  /** Modification time in milliseconds since 1970; undefined if it is unknown. */
  readonly modified: number | undefined;
  /** Size in bytes. */
  readonly size: number;
  /** Whether ripgrep could not read it either, and says so. */
  readonly isUnreadable: boolean;
}

/** The reply to each order, in their order: of the files to read, or the numbers of changed files. */
export type IndexReply =
  | { readonly kind: 'read'; readonly files: readonly ReadFile[] }
  | { readonly kind: 'swept'; readonly changed: readonly number[] };
