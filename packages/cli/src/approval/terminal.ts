import type { CommandIo } from '../command/command.ts';
import type { LineReader, TypedLines } from './line-reader.ts';
import type { ScreenLine, ScreenSize } from './question-screen.ts';

/** Milliseconds after a question in which input is ignored: no person reads that fast, so it was typed for something else. */
const TYPED_AHEAD_MS = 250;

/** The terminal that questions are asked on. */
export interface Terminal extends Pick<CommandIo, 'stdin' | 'err'> {
  readonly size: () => ScreenSize;
  /** Whether more calls can follow in this session, so that a rule can be saved for it. Default: true. */
  readonly session?: boolean;
  /** The reader of stdin, if it is already being read. */
  readonly lines?: TypedLines | undefined;
}

export function print(err: Terminal['err'], lines: readonly ScreenLine[]): void {
  for (const { text, style } of lines) {
    err.write(text, style);
    err.write('\n');
  }
}

/** The next line typed after the question; undefined at the end of the input. */
export async function typed({ err }: Terminal, reader: LineReader): Promise<string | undefined> {
  for (;;) {
    err.write('> ');
    const asked = performance.now();
    const line = await reader.next();
    if (line === undefined || performance.now() - asked >= TYPED_AHEAD_MS) return line;
    err.write('That came before the question could be read. Once more.\n');
  }
}
