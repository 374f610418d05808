import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { readSecret, writeSecret } from '../state/secret-file.ts';
import { errnoOf } from '../workspace/file-error.ts';

const KeyFile = z.strictObject({ version: z.literal(1), private: z.string() });

/** The key with which a machine signs its receipts. */
export interface ReceiptKey {
  /** The public key: 32 bytes in base64url. */
  readonly public: string;
  sign(bytes: Buffer): string;
}

const publicText = (key: KeyObject): string => z.object({ x: z.string() }).parse(key.export({ format: 'jwk' })).x;

function read(file: string): ReceiptKey | undefined {
  const stored = readSecret(file, KeyFile);
  if (stored === undefined) return undefined;
  const key = createPrivateKey(stored.private);
  return { public: publicText(createPublicKey(key)), sign: (bytes) => sign(null, bytes, key).toString('base64url') };
}

const keyFile = (stateFolder: string): string => join(stateFolder, 'receipt-key.json');

/** Returns the key of this machine; undefined if it has none yet. */
export function knownReceiptKey(stateFolder: string): ReceiptKey | undefined {
  return read(keyFile(stateFolder));
}

/** Returns the key of this machine. Makes it at the first use, readable only by its owner. */
export function receiptKey(stateFolder: string): ReceiptKey {
  const file = keyFile(stateFolder);
  const known = read(file);
  if (known !== undefined) return known;
  const fresh = `${file}.${process.pid}.new`;
  const { privateKey } = generateKeyPairSync('ed25519');
  writeSecret(fresh, { version: 1, private: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() });
  try {
    // Never replaces the key that another process made meanwhile.
    linkSync(fresh, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  const made = read(file);
  if (made === undefined)
    throw new SynapseError('unavailable', 'The key for receipts cannot be stored.', { hint: 'Make the state folder writable.' });
  return made;
}

/** Whether bytes are signed by the owner of a public key. */
export function isSignedBy(publicKey: string, bytes: Buffer, signature: string): boolean {
  try {
    const bytesOfSignature = Buffer.from(signature, 'base64url');
    // The last character has bits that mean nothing: only one form counts.
    if (bytesOfSignature.toString('base64url') !== signature) return false;
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: publicKey } });
    return verify(null, bytes, key, bytesOfSignature);
  } catch {
    // Not a key.
    return false;
  }
}
