import * as z from 'zod';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { beginExchange } from './cpace.ts';
import { Identity } from './device.ts';

/** Letters and digits that are easy to distinguish: 32, so that each character has 5 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`, 'u');
/**
 * PBKDF2 iterations per guess for who reads the stored code of an invitation. Between two devices, a relay gets nothing to try out guesses with.
 */
const ROUNDS = 600_000;

/** Maximum number of wrong codes before a new one is needed. */
export const PAIRING_TRIES = 5;
/** Lifetime of a code in milliseconds. */
export const PAIRING_MS = 600_000;
/** Milliseconds in which a machine answers a code. */
export const PAIRING_ANSWER_MS = 60_000;

const text = z.string().max(200);

/** Messages between two devices, through a relay, until each knows the other's public keys. */
export const PairingMessage = z.discriminatedUnion('type', [
  /** From the relay: the nonce that a machine signs. */
  z.object({ type: z.literal('pair_nonce'), nonce: text }),
  /** To the relay: a machine waiting for a device, or a device with a code. Only the machine must prove its identity. */
  z.object({ type: z.literal('pair_hello'), side: z.enum(['machine', 'guest']), identity: Identity.optional(), proof: text.optional() }),
  /** From the relay to the machine: the machine is now waiting. */
  z.object({ type: z.literal('pair_ready') }),
  /** From the relay to the machine: a device connected. */
  z.object({ type: z.literal('pair_guest') }),
  /** `share`: of a machine; a relay that invites has none, because it is the other side itself. */
  z.object({ type: z.literal('pair_salt'), salt: text, share: text.optional() }),
  z.object({ type: z.literal('pair_join'), identity: Identity, name: text, proof: text, share: text.optional() }),
  z.object({ type: z.literal('pair_done'), identity: Identity, name: text, proof: text }),
  z.object({ type: z.literal('pair_refused'), left: z.int().min(0) }),
]);
export type PairingMessage = z.infer<typeof PairingMessage>;
type PairingJoin = Extract<PairingMessage, { type: 'pair_join' }>;
type PairingDone = Extract<PairingMessage, { type: 'pair_done' }>;

/** The public part of a device. */
export interface PairedDevice {
  readonly identity: string;
  readonly name: string;
}

/** What proves the code to the other side: the stretched code, or a key that two sides agreed on with it. */
export interface PairingSecret {
  readonly salt: string;
  readonly key: string;
}

const utf8 = new TextEncoder();

export function parsePairingMessage(given: string): PairingMessage | undefined {
  try {
    return PairingMessage.safeParse(JSON.parse(given)).data;
  } catch {
    // Not JSON.
    return undefined;
  }
}

/** Creates a code: 40 bits, in two groups of four characters. */
export function createPairingCode(): string {
  const drawn = crypto.getRandomValues(new Uint8Array(CODE_LENGTH));
  const code = Array.from(drawn, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Normalizes a typed code: in upper or lower case, with or without the dash, O for 0 and I or L for 1. Returns undefined if it is invalid. */
export function readPairingCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  return CODE.test(code) ? code : undefined;
}

const createSalt = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(16)));

/** Stretches a code. @throws RangeError for an invalid code */
export async function stretchCode(typed: string, salt: string = createSalt()): Promise<PairingSecret> {
  const code = readPairingCode(typed);
  if (code === undefined) throw new RangeError('Not a pairing code.');
  const base = await crypto.subtle.importKey('raw', utf8.encode(code), 'PBKDF2', false, ['deriveBits']);
  const bits = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: utf8.encode(salt), iterations: ROUNDS }, base, 256);
  return { salt, key: toBase64Url(new Uint8Array(bits)) };
}

/** One attempt of two devices to agree on a key with a code. */
export interface PairingExchange {
  /** For the other device. */
  readonly share: string;
  /** Takes the share of the other one; undefined if it sent none, or one that no honest device sends. Works once. */
  agree(share: string | undefined): Promise<PairingSecret | undefined>;
}

/**
 * Begins an attempt. A relay in the middle, which passes on the shares or sends its own, can test one code with each attempt, and only by what the
 * devices answer: what it saw is of no use to test others.
 */
export async function beginPairing(side: 'machine' | 'guest', { salt, key }: PairingSecret): Promise<PairingExchange> {
  const exchange = await beginExchange(side === 'machine' ? 'first' : 'second', {
    password: fromBase64Url(key),
    context: utf8.encode('synapse.v1 pair'),
    session: utf8.encode(salt),
  });
  return {
    share: toBase64Url(exchange.share),
    agree: async (share) => {
      const agreed = share === undefined ? undefined : await exchange.agree(bytesOf(share));
      return agreed === undefined ? undefined : { salt, key: toBase64Url(agreed) };
    },
  };
}

/** The bytes of a text; none if it is no base64url. */
function bytesOf(share: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(share);
  } catch {
    return new Uint8Array();
  }
}

const macKey = ({ key }: PairingSecret) =>
  crypto.subtle.importKey('raw', fromBase64Url(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const joinText = (salt: string, { identity, name }: PairedDevice): string => JSON.stringify(['synapse.v1 pair join', salt, identity, name]);

const doneText = (salt: string, guest: PairedDevice, { identity, name }: PairedDevice): string =>
  JSON.stringify(['synapse.v1 pair done', salt, guest.identity, guest.name, identity, name]);

async function mac(secret: PairingSecret, what: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await macKey(secret), utf8.encode(what))));
}

async function isMac(secret: PairingSecret, what: string, proof: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', await macKey(secret), fromBase64Url(proof), utf8.encode(what));
  } catch {
    // Not base64, so the proof is invalid.
    return false;
  }
}

/** Creates the message of a guest that has a code. @param share for a machine */
export async function joinMessage(secret: PairingSecret, { identity, name }: PairedDevice, share?: string): Promise<PairingJoin> {
  const proof = await mac(secret, joinText(secret.salt, { identity, name }));
  return { type: 'pair_join', identity, name, proof, ...(share === undefined ? {} : { share }) };
}

/** Creates the machine's answer to a guest; undefined if the guest has another code. */
export async function answerJoin(secret: PairingSecret, { identity, name }: PairedDevice, join: PairingJoin): Promise<PairingDone | undefined> {
  if (!(await isMac(secret, joinText(secret.salt, join), join.proof))) return undefined;
  return { type: 'pair_done', identity, name, proof: await mac(secret, doneText(secret.salt, join, { identity, name })) };
}

/** Whether an answer is from the machine that shows the code, and not from an intermediary. */
export async function isAnswerTo(secret: PairingSecret, guest: PairedDevice, done: PairingDone): Promise<boolean> {
  return await isMac(secret, doneText(secret.salt, guest, done), done.proof);
}

/** Returns the text that a machine signs to wait for guests at a relay. */
export const pairProofText = (audience: string, nonce: string, identity: string): string =>
  JSON.stringify(['synapse.v1 pair', audience, nonce, identity]);
