import { createHash, hash, type Hash } from 'node:crypto';

/** Hex digits of a content version. 64 bits tell revisions of one file apart; it is no proof against forgery. */
const VERSION_DIGITS = 16;

/** The version of a file: what `read_file` tells and a change may ask for. A hash of the bytes, not of times. */
export function contentVersion(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, VERSION_DIGITS);
}

/** The same version, from chunks. */
export function versionHasher(): { update(chunk: Uint8Array): void; version(): string } {
  const hasher: Hash = createHash('sha256');
  return { update: (chunk) => void hasher.update(chunk), version: () => hasher.digest('hex').slice(0, VERSION_DIGITS) };
}
