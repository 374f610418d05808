/** A file, as of the time of the request. */
export interface CheckedText {
  /** Path below the root, with `/`. */
  readonly path: string;
  readonly language: string;
  readonly text: string;
  /** How it is compiled, without its path, where the server would guess wrong. Never run. */
  readonly command?: readonly string[];
}
