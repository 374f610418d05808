/** What an editor shows for a file: its text, nothing of its own, or no answer in time. */
export type ShownByEditor = { readonly text: string } | 'nothing' | 'silent';

/**
 * The texts of an editor, which may differ from the files on disk: changes that are not saved yet. Asked only for files that the call
 * may read, by their real path.
 */
export interface FileBuffers {
  /** Returns the text of a file. Answers in bounded time, and does not throw for a failure of the editor. */
  read(file: string, signal: AbortSignal): Promise<ShownByEditor>;
  /**
   * Replaces the text of a file and saves it. Undefined if the editor does not offer that.
   *
   * @throws if the editor refuses, or does not answer in bounded time
   */
  readonly write: ((file: string, text: string, signal: AbortSignal) => Promise<void>) | undefined;
}
