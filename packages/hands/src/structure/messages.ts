import type { FilledTemplate } from './template.ts';

/** Maximum number of matches in one text. */
export const MAX_MATCHES = 5_000;

/** What the thread of a structural search gets first: the module of the matcher, compiled. */
export interface StructureStart {
  readonly module: WebAssembly.Module;
}

/** A text to search. */
export interface StructureRequest {
  /** Name of the grammar. */
  readonly grammar: string;
  readonly text: string;
  readonly pattern: string;
  /** What replaces a match; undefined to search only. */
  readonly replacement: string | undefined;
}

/** A match: offsets in UTF-16 units. */
export interface StructureMatch {
  readonly start: number;
  readonly end: number;
  readonly filled?: Filling;
}

/** What replaces a match. */
export interface Filling extends FilledTemplate {
  /** Number of comments in the match that are not in the text. */
  readonly lostComments: number;
}

/** The answer to one text: its matches in order, or why the pattern cannot be one of the language. */
export type StructureAnswer =
  | {
      readonly matches: readonly StructureMatch[];
      /** Number of matches inside of others that are replaced, so far as it looked. */
      readonly inner: number;
      /** Whether there are more. */
      readonly hasMore: boolean;
    }
  | { readonly problem: string };
