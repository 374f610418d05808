import { LineFolder, size } from '@synapse/hands/internal';
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
