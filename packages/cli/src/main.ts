import type { Writable } from 'node:stream';
import { COMMANDS } from './commands/list.ts';
import { listenForInterruption } from './interruption.ts';
import { streamOutput } from './output/output.ts';
import { runProgram } from './program.ts';

/** EX_IOERR: the results could not be written. */
const OUTPUT_FAILED = 74;

/** Milliseconds that a reader may stall a command that was asked to end. */
const LAST_WRITES_MS = 500;

/** Settles when all output is flushed or cannot be; soon after the signal is aborted. */
function flushed(stream: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.errored !== null) return resolve();
    stream.write('', () => resolve());
    const giveUp = (): void => void setTimeout(resolve, LAST_WRITES_MS);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

/**
 * Runs a command line in this process and ends it.
 *
 * @param version that of this package
 */
export async function main(words: readonly string[], version: string): Promise<void> {
  const interruption = listenForInterruption();
  const out = streamOutput(process.stdout);
  const err = streamOutput(process.stderr, process.env, true);
  let failed: number | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader closed the pipe, as `head` does, so there is nothing left to report.
    if (error.code === 'EPIPE') return;
    failed ??= OUTPUT_FAILED;
    err.write(`Error: The results could not be written (${error.code ?? 'unknown'}).\n`, 'red');
  });
  process.stderr.on('error', () => {
    // stderr is closed, but stdout may still have a reader.
  });
  let code: number;
  try {
    const context = { out, err, stdin: process.stdin, signal: interruption.signal, version };
    code = await runProgram(COMMANDS, words, context);
  } catch (error) {
    // Loaded late, to keep the start fast.
    const { asksForJson, reportThrown } = await import('./output/report-error.ts');
    code = reportThrown({ out, err, json: asksForJson(words), signal: interruption.signal }, error);
  }
  await flushed(process.stdout, interruption.signal);
  await flushed(process.stderr, interruption.signal);
  // Exit explicitly: a tool that does not end must not keep the shell waiting.
  process.exit(interruption.exitCode() ?? failed ?? code);
}
