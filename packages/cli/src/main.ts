import type { Writable } from 'node:stream';
import { listenForInterruption } from './interruption.ts';
import { streamOutput } from './output.ts';
import { runProgram } from './program.ts';
import { readVersion } from './version.ts';

/** EX_IOERR: the results could not be written. */
const OUTPUT_FAILED = 74;

/** How long a reader that takes nothing may keep a command that was asked to end, in milliseconds. */
const LAST_WRITES_MS = 500;

/** Settles when all that was written is handed over, or cannot be; once the signal is aborted, soon. */
function flushed(stream: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.errored !== null) return resolve();
    stream.write('', () => resolve());
    const giveUp = (): void => void setTimeout(resolve, LAST_WRITES_MS);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** Runs a command line in this process and ends it. */
export async function main(words: readonly string[]): Promise<void> {
  const interruption = listenForInterruption();
  const out = streamOutput(process.stdout);
  const err = streamOutput(process.stderr);
  let failed: number | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read has enough, as `head` does: nobody is left to be told.
    if (error.code === 'EPIPE') return;
    failed ??= OUTPUT_FAILED;
    err.write(`Error: The results could not be written (${error.code ?? 'unknown'}).\n`, 'red');
  });
  process.stderr.on('error', () => {
    // Nobody reads the notes; the results may still be wanted.
  });
  let code: number;
  try {
    const context = { out, err, stdin: process.stdin, signal: interruption.signal, version: readVersion() };
    code = await runProgram(words, context);
  } catch (error) {
    // Loaded late: what every start loads is measured.
    const { asksForJson, reportThrown } = await import('./report-error.ts');
    code = reportThrown({ out, err, json: asksForJson(words) }, error);
  }
  await flushed(process.stdout, interruption.signal);
  await flushed(process.stderr, interruption.signal);
  // Not left to the event loop: a tool that would not end must not keep the shell waiting.
  process.exit(interruption.exitCode() ?? failed ?? code);
}
