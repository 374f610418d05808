import { SynapseError } from '@synapse/protocol';
import type { Asking } from '../output/confirm.ts';

/** Keys in the bytes of a terminal. */
const ENTER = /[\r\n]/u;
const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = new Set(['\u007F', '\b']);
const ERASE_ALL = '\u0015';

/**
 * Asks a person at the terminal for a line that is not shown, such as a secret.
 *
 * @returns undefined if the input has ended or is interrupted
 */
export async function askHidden(question: string, { err, stdin, signal }: Pick<Asking, 'err' | 'stdin' | 'signal'>): Promise<string | undefined> {
  err.write(`${question} `);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let line = '';
  const onData = (chunk: Buffer | string): void => {
    for (const key of chunk.toString()) {
      if (ENTER.test(key)) return resolve(line);
      if (key === INTERRUPT || key === END) return resolve(undefined);
      if (ERASE.has(key)) line = line.slice(0, -1);
      else if (key === ERASE_ALL) line = '';
      else line += key;
    }
  };
  const onEnd = (): void => resolve(undefined);
  // Without it the terminal would show each key.
  stdin.setRawMode(true);
  stdin.on('data', onData).once('end', onEnd).resume();
  signal.addEventListener('abort', onEnd, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onEnd);
    stdin.off('data', onData).off('end', onEnd).pause();
    stdin.setRawMode(false);
    err.write('\n');
  }
}

/** Maximum size of a secret on stdin, in bytes. */
const MAX_BYTES = 64 * 1024;

/** Reads all of a stream, such as stdin where that is no terminal. @param tooLong the error for more than a secret can have */
export async function readWhole(stdin: AsyncIterable<Buffer | string>, tooLong = 'There are more than 64 KiB on stdin.'): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk);
    bytes += part.byteLength;
    if (bytes > MAX_BYTES) throw new SynapseError('too_large', tooLong, { hint: 'Give only the secret.' });
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString();
}
