import * as z from 'zod';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { sha256 } from './sha256.ts';

/** The two public keys of a device as sent: Ed25519 for signatures, X25519 for key agreement. */
export const Identity = z.string().regex(/^[\w-]{43}\.[\w-]{43}$/u);

/** The private keys of a device. Secret: stored in a keychain or a file with mode 0600, and never sent. */
export const StoredDevice = z.object({ identity: Identity, sign: z.string().max(200), agree: z.string().max(200) });
export type StoredDevice = z.infer<typeof StoredDevice>;

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A device with usable keys. */
export interface Device {
  readonly identity: string;
  readonly id: string;
  readonly agree: Key;
  sign(text: string): Promise<string>;
}

const utf8 = new TextEncoder();

/** Returns the id of a device: 128 bits, for which finding a second device is infeasible. */
export const deviceId = (identity: string): string => sha256(identity).slice(0, 32);

/** Returns the fingerprint that users compare on two screens. */
export const fingerprint = (identity: string): string => (deviceId(identity).toUpperCase().match(/.{4}/gu) ?? []).join(' ');

async function keyPair(algorithm: 'Ed25519' | 'X25519', usages: readonly ('sign' | 'verify' | 'deriveBits')[]) {
  // The type also allows single-key algorithms; both of these create a pair.
  const made = (await crypto.subtle.generateKey(algorithm, true, [...usages])) as Readonly<Record<'privateKey' | 'publicKey', Key>>;
  const [secret, open] = await Promise.all([crypto.subtle.exportKey('pkcs8', made.privateKey), crypto.subtle.exportKey('raw', made.publicKey)]);
  return { secret: toBase64Url(new Uint8Array(secret)), open: toBase64Url(new Uint8Array(open)) };
}

/** Creates the keys of a new device. */
export async function createDevice(): Promise<StoredDevice> {
  const [sign, agree] = await Promise.all([keyPair('Ed25519', ['sign', 'verify']), keyPair('X25519', ['deriveBits'])]);
  return { identity: `${sign.open}.${agree.open}`, sign: sign.secret, agree: agree.secret };
}

/** Imports the keys of a device as non-extractable. */
export async function openDevice({ identity, sign, agree }: StoredDevice): Promise<Device> {
  const [signing, agreeing] = await Promise.all([
    crypto.subtle.importKey('pkcs8', fromBase64Url(sign), { name: 'Ed25519' }, false, ['sign']),
    crypto.subtle.importKey('pkcs8', fromBase64Url(agree), { name: 'X25519' }, false, ['deriveBits']),
  ]);
  return {
    identity,
    id: deviceId(identity),
    agree: agreeing,
    sign: async (text) => toBase64Url(new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, signing, utf8.encode(text)))),
  };
}

/** Whether a device signed a text. Never rejects: an unverifiable signature is invalid. */
export async function isSignedBy(identity: string, text: string, signature: string): Promise<boolean> {
  try {
    const [open = ''] = Identity.parse(identity).split('.');
    const key = await crypto.subtle.importKey('raw', fromBase64Url(open), { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, fromBase64Url(signature), utf8.encode(text));
  } catch {
    // Not base64, or not a point on the curve.
    return false;
  }
}

/** Returns the secret that two devices share. An intermediary cannot compute it. @throws for an invalid key */
export async function sharedSecret({ agree }: Device, identity: string): Promise<Key> {
  const [, open = ''] = Identity.parse(identity).split('.');
  const theirs = await crypto.subtle.importKey('raw', fromBase64Url(open), { name: 'X25519' }, false, []);
  const bits = await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, agree, 256);
  return await crypto.subtle.importKey('raw', bits, 'HKDF', false, ['deriveBits', 'deriveKey']);
}
