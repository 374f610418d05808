/** What a line says: added and removed text is shown as in a diff. */
export type RequestLineKind = 'plain' | 'added' | 'removed';

/** One line of a question, in which everything can be seen. */
export interface RequestLine {
  readonly kind: RequestLineKind;
  readonly text: string;
}
