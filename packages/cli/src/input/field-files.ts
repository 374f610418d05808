import { isSynapseError, SynapseError } from '@synapse/protocol';
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';
import type { KeyValue } from './key-values.ts';

/** Maximum size of a file, in bytes: more text than a call may have. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Opening a pipe without a writer, and reading a terminal, would block a thread, which nothing can interrupt. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens a file for reading. Pipes and terminals are waited for: a read of them fails while there is nothing to read. */
function openStream(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const fd = openSync(file, READ);
  try {
    if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false, signal });
    if (isatty(fd)) return new ReadStream(fd, { signal });
    return createReadStream(file, { fd, signal });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Reads a file of text, also a pipe such as of `<(…)`, which has no size. */
async function readTextFile(file: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const stream = openStream(file, signal);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new SynapseError('too_large', 'It is larger than 8 MiB.');
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new SynapseError('encoding', 'It is not text in UTF-8.', { cause: error });
  }
}

/**
 * Reads the files that fields name: the person who typed the names may read them.
 *
 * @throws SynapseError `invalid_arguments` for a file that cannot be read
 */
export async function withFiles(fields: readonly KeyValue[], signal: AbortSignal): Promise<KeyValue[]> {
  return await Promise.all(
    fields.map(async ({ key, kind, value, file }) => {
      if (file === undefined) return { key, kind, value };
      try {
        return { key, kind, value: await readTextFile(file, signal) };
      } catch (error) {
        if (signal.aborted) throw new SynapseError('cancelled', `Interrupted while reading ${file}.`, { cause: error });
        throw new SynapseError('invalid_arguments', `The file for ${key} cannot be read: ${file}`, {
          hint: `${isSynapseError(error) ? error.message : 'key=@file takes the text of a file.'} For a text that begins with @: ${key}:='"@…"'.`,
          cause: error,
        });
      }
    }),
  );
}
