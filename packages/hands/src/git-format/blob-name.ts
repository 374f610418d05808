import { createHash } from 'node:crypto';

/** The name of the object that git makes of a content. @param length of names in the repository: 40 digits of SHA-1, or 64 of SHA-256 */
export const blobOf = (bytes: Buffer, length = 40): string =>
  createHash(length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
