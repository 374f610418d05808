import { mapToCurve } from './elligator.ts';

// CPACE-X25519-SHA512 (draft-irtf-cfrg-cpace): two sides that know the same password agree on a key. A side that does not know it, or that is
// between the two, can test one password for each share that it gets an answer to, and has nothing to test others with.

/** The name of the group in what is hashed. */
const DOMAIN = 'CPace255';
/** Bytes that SHA-512 takes in at once. */
const BLOCK = 128;
const COORDINATE = 32;

const utf8 = new TextEncoder();

type Bytes = Uint8Array<ArrayBuffer>;

function concatenate(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A length in LEB128: seven bits in each byte, the lowest first. */
function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  let left = length;
  for (; left >= 0x80; left >>= 7) bytes.push((left & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, left);
}

/** Joins parts with their lengths, so that other parts never give the same bytes. */
const joined = (...parts: readonly Uint8Array[]): Bytes => concatenate(...parts.flatMap((part) => [lengthOf(part), part]));

const sha512 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-512', bytes));

/** What both sides know before they begin. */
export interface SharedInput {
  readonly password: Uint8Array;
  /** What the key is for, and who the sides are. */
  readonly context: Uint8Array;
  /** Differs in each exchange, and is not secret. */
  readonly session: Uint8Array;
}

/** The point that the sides multiply. The first block of the hash has the password alone, whatever else is hashed. */
export async function generatorOf({ password, context, session }: SharedInput): Promise<Bytes> {
  const domain = utf8.encode(DOMAIN);
  const padding = Math.max(0, BLOCK - 1 - joined(password).length - joined(domain).length);
  const hashed = await sha512(joined(domain, password, new Uint8Array(padding), context, session));
  return mapToCurve(hashed.subarray(0, COORDINATE));
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** X25519; undefined for a point that would make the product known beforehand, and for what is no coordinate. */
export async function multiply(scalar: Key, point: Bytes): Promise<Bytes | undefined> {
  try {
    const other = await crypto.subtle.importKey('raw', point, { name: 'X25519' }, false, []);
    const product = new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: other }, scalar, 8 * COORDINATE));
    return product.some((byte) => byte !== 0) ? product : undefined;
  } catch {
    // Platforms refuse such a point.
    return undefined;
  }
}

/** The shares of both sides, and what each binds the key to. */
export interface Transcript {
  readonly first: { readonly share: Uint8Array; readonly data?: Uint8Array };
  readonly second: { readonly share: Uint8Array; readonly data?: Uint8Array };
}

const NONE = new Uint8Array();

/** The key of both sides, 64 bytes. */
export async function exchangedKey({ session }: Pick<SharedInput, 'session'>, product: Uint8Array, { first, second }: Transcript): Promise<Bytes> {
  const head = joined(utf8.encode(`${DOMAIN}_ISK`), session, product);
  return await sha512(concatenate(head, joined(first.share, first.data ?? NONE), joined(second.share, second.data ?? NONE)));
}

/** One side of an exchange. */
export interface KeyExchange {
  /** For the other side. */
  readonly share: Bytes;
  /** The key, if the other side has the same password; another key otherwise; undefined for a share that no honest side sends. Works once. */
  readonly agree: (other: Uint8Array<ArrayBuffer>) => Promise<Bytes | undefined>;
}

/** Begins an exchange as the side that sends its share first or second. */
export async function beginExchange(side: 'first' | 'second', input: SharedInput): Promise<KeyExchange> {
  const pair = await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
  // The type also allows algorithms with a single key.
  if (!('privateKey' in pair)) throw new Error('X25519 made no pair of keys.');
  const { privateKey } = pair;
  const share = await multiply(privateKey, await generatorOf(input));
  if (share === undefined) throw new Error('The password gives no point of the curve.');
  let isUsed = false;
  return {
    share,
    agree: async (other) => {
      if (isUsed) return undefined;
      isUsed = true;
      const product = await multiply(privateKey, other);
      if (product === undefined) return undefined;
      const [own, theirs] = [{ share }, { share: other }];
      return await exchangedKey(input, product, side === 'first' ? { first: own, second: theirs } : { first: theirs, second: own });
    },
  };
}
