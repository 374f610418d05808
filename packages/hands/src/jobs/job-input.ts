import { SynapseError } from '@synapse/protocol';
import type { Job } from './job.ts';

/** Milliseconds. */
const DRAIN_MS = 1_000;
/** Ends the input of a program that reads a terminal: Control-D. */
const END_OF_TRANSMISSION = '\u0004';
/** Keys that edit a line, complete it or bring back another: what runs would not be what was judged. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const KEYS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;

function refused(why: string, hint: string): SynapseError {
  return new SynapseError('invalid_arguments', `text: ${why}; nothing was written.`, { hint });
}

/**
 * Refuses text that a program could take for another one than that which was judged. Each line was judged as a command, so
 * it must be one when it arrives: whole, and without keys that change it on the way.
 *
 * @throws SynapseError `invalid_arguments`; `unavailable` where the job has no input
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

/** Writes lines to a job, and ends its input where asked to. */
export async function writeInput({ input, terminal }: Pick<Job, 'input' | 'terminal'>, text: string, eof: boolean): Promise<void> {
  if (input === undefined) return;
  const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  // A terminal sends a carriage return for the Enter key.
  const bytes = (terminal ? lines.replaceAll('\n', '\r') : lines) + (terminal && eof ? END_OF_TRANSMISSION : '');
  const { promise, resolve } = Promise.withResolvers<void>();
  // A program that reads nothing must not hold up the call: what it does not take now waits in the pipe.
  if (bytes === '' || input.write(bytes)) resolve();
  else {
    input.once('drain', resolve);
    input.once('close', resolve);
    setTimeout(resolve, DRAIN_MS).unref();
  }
  await promise;
  if (eof && !terminal) input.end();
}
