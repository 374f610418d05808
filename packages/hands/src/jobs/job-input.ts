import { SynapseError } from '@synapse/protocol';
import type { Job } from './job.ts';

/** Maximum milliseconds to wait until a program reads its input. */
const DRAIN_MS = 1_000;
/** Ends the input of a program that reads a terminal (Control-D). */
const END_OF_TRANSMISSION = '\u0004';
/** Keys that edit a line, complete it or recall another one. The text that runs would differ from the text that was checked. */
const KEYS = /(?![\t\n])\p{Cc}/u;

function refused(why: string, hint: string): SynapseError {
  return new SynapseError('invalid_arguments', `text: ${why}; nothing was written.`, { hint });
}

/**
 * Rejects text that a program could interpret differently from the text that was checked. Each line was checked as a
 * command, so it must arrive as one: complete, and without keys that change it.
 *
 * @throws SynapseError `invalid_arguments`; `unavailable` if the job has no input
 */
export function assertInput(
  { input, isOver, terminal, background, id }: Pick<Job, 'input' | 'isOver' | 'terminal' | 'background' | 'id'>,
  text: string,
): void {
  if (isOver) throw new SynapseError('unavailable', `${id} has ended, so nothing was written.`, { hint: 'Start it again with run_command.' });
  if (input === undefined || input.destroyed || input.writableEnded) {
    throw new SynapseError(
      'unavailable',
      `${id} has no input${background ? ' any more' : ': it was started in the foreground'}, so nothing was written.`,
      {
        hint: 'Start it with run_command and "background": true to write to it.',
      },
    );
  }
  if (KEYS.test(text) || (terminal && text.includes('\t'))) {
    throw refused('control characters are not passed on', 'Send plain lines; for Control-C use action "signal" with INT, to end the input "eof".');
  }
  if (/\\\n?$/u.test(text)) throw refused('a backslash at the end would join it with what comes next', 'Send the whole command in one text.');
}

/** Writes lines to a job and optionally ends its input. */
export async function writeInput({ input, terminal }: Pick<Job, 'input' | 'terminal'>, text: string, eof: boolean): Promise<void> {
  if (input === undefined) return;
  const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  // A terminal sends a carriage return for the Enter key.
  const bytes = (terminal ? lines.replaceAll('\n', '\r') : lines) + (terminal && eof ? END_OF_TRANSMISSION : '');
  const { promise, resolve } = Promise.withResolvers<void>();
  // A program that does not read must not block the call. Unread text stays in the pipe.
  if (bytes === '' || input.write(bytes)) resolve();
  else {
    input.once('drain', resolve);
    input.once('close', resolve);
    setTimeout(resolve, DRAIN_MS).unref();
  }
  await promise;
  if (eof && !terminal) input.end();
}
