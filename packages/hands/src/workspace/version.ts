import { createHash, hash } from 'node:crypto';
import type { OpenFile } from './open-file.ts';

/** Hex digits of a content version. 64 bits tell revisions of one file apart; it is no proof against forgery. */
const VERSION_DIGITS = 16;

/** The version of a file: what `read_file` tells and a change may ask for. A hash of the bytes, not of times. */
export function contentVersion(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, VERSION_DIGITS);
}

const CHUNK_BYTES = 256 * 1024;

/** The version of an open file, in bounded memory. */
export async function fileVersion(file: OpenFile): Promise<string> {
  if (file.size <= CHUNK_BYTES) return contentVersion(await file.read(0, file.size));
  const hasher = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < file.size;) {
    const filled = await file.readInto(buffer, position);
    if (filled === 0) break;
    hasher.update(buffer.subarray(0, filled));
    position += filled;
  }
  return hasher.digest('hex').slice(0, VERSION_DIGITS);
}
