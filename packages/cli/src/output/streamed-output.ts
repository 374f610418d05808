import { LineFolder, size } from '@synapse/hands/internal';
import type { CallResult } from '@synapse/protocol';
import type { Output } from './output.ts';

/** Maximum bytes that wait for a slow reader. More is left out, so that a fast command cannot fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;

/** The output of a running command on stdout. */
export interface StreamedOutput {
  readonly write: (text: string) => void;
  /** Prints the unfinished last line, and what was left out. Returns whether anything was printed. */
  readonly finish: () => boolean;
}

/**
 * Prints the output of a command while it runs, by lines: a progress bar appears in its final state, as in the answer.
 *
 * @param waiting returns the bytes that stdout's reader has not taken yet
 */
export function streamedOutput(out: Output, err: Output, waiting: () => number): StreamedOutput {
  const folder = new LineFolder();
  let hasText = false;
  let endsLine = true;
  let leftOut = 0;
  const print = (text: string): void => {
    if (text === '') return;
    hasText = true;
    if (waiting() > MAX_WAITING) {
      leftOut += Buffer.byteLength(text);
      return;
    }
    // Erases the status line, which may be on the same terminal.
    err.show('');
    out.write(text);
    endsLine = text.endsWith('\n');
  };
  return {
    write: (text) => print(folder.take(text)),
    finish: () => {
      print(folder.finish());
      if (out.isTerminal && !endsLine) out.write('\n');
      if (leftOut > 0) err.write(`[${size(leftOut)} of the output were left out: the reader of stdout was too slow.]\n`, 'yellow');
      return hasText;
    },
  };
}

/** A call whose output was printed while it ran. */
export interface StreamedCall {
  readonly result: CallResult;
  readonly isPrinted: boolean;
  /** Whether the reader of stdout ended, and the call with it. */
  readonly isUnread: boolean;
}

interface StreamedTo {
  readonly out: Output;
  readonly err: Output;
  readonly signal: AbortSignal;
}

/** Prints the output of a call while it runs. As in a pipe of a shell, it ends when nothing reads stdout any more. */
export async function streamCall(
  { out, err, signal }: StreamedTo,
  call: (live: { readonly onOutput: (text: string) => void; readonly signal: AbortSignal }) => Promise<CallResult>,
): Promise<StreamedCall> {
  const streamed = streamedOutput(out, err, () => process.stdout.writableLength);
  const unread = new AbortController();
  const endUnread = (): void => unread.abort();
  process.stdout.once('error', endUnread);
  const result = await call({ onOutput: streamed.write, signal: AbortSignal.any([signal, unread.signal]) });
  const isPrinted = streamed.finish();
  process.stdout.off('error', endUnread);
  return { result, isPrinted, isUnread: unread.signal.aborted && !result.ok && !signal.aborted };
}

/** 128 plus SIGPIPE, as of a program in a pipe of a shell whose reader has ended. */
const UNREAD = 141;

/** Tells that the reader of stdout has ended. Returns the exit code for that. */
export function tellUnread(err: Output): number {
  err.write('The reader of the output has ended, so the call was ended as well.\n', 'yellow');
  return UNREAD;
}
