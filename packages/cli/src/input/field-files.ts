import { isSynapseError, SynapseError } from '@synapse/protocol';
import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { KeyValue } from './key-values.ts';

/** Maximum size of a file, in bytes: more text than a call may have. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads a file of text, also a pipe such as of `<(…)`, which has no size. */
async function readTextFile(file: string, signal: AbortSignal): Promise<string> {
  // Opening a pipe without a writer would block a thread, which nothing can interrupt.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stream: AsyncIterable<Uint8Array> = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false, signal })
    : createReadStream(file, { fd, signal });
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
