import { fromBase64Url, toBase64Url } from './base64url.ts';
import { canonicalJson } from './call-hash.ts';
import { sharedSecret, type Device } from './device.ts';
import { parseDataFrame, type DataFrame } from './frames.ts';
import { joinFrame, splitFrame } from './sealing.ts';
import { sha256 } from './sha256.ts';

type Secret = Awaited<ReturnType<typeof sharedSecret>>;
type Key = Awaited<ReturnType<typeof crypto.subtle.deriveKey>>;

/** Maximum number of process keys of other devices to cache. */
const MAX_KEYS = 256;

const utf8 = new TextEncoder();

/** An opened frame, and the device that sealed it. */
export interface OpenedFrame {
  readonly frame: DataFrame;
  readonly from: string;
}

/** Returns a message number as an AES-GCM nonce. No number repeats: a key is for one process, one direction and one receiver. */
function nonceOf(number: number): Uint8Array<ArrayBuffer> {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(4, BigInt(number));
  return nonce;
}

/**
 * Seals frames for one device and opens those from it, so that a relay cannot read, forge or change them.
 * The secret of a pair of devices comes from X25519; each process seals with AES-256-GCM under its own key.
 */
export class SealedLine {
  readonly #device: Device;
  readonly #inst: string;
  readonly #identityOf: (id: string) => string | undefined;
  readonly #secrets = new Map<string, Promise<Secret>>();
  readonly #keys = new Map<string, Promise<Key>>();
  readonly #hashKeys = new Map<string, Promise<string>>();
  #sent = 0;

  /** @param identityOf returns the public keys of a paired device; frames of others are not opened */
  constructor(device: Device, inst: string, identityOf: (id: string) => string | undefined) {
    this.#device = device;
    this.#inst = inst;
    this.#identityOf = identityOf;
  }

  #secret(id: string, identity: string): Promise<Secret> {
    const known = this.#secrets.get(id);
    if (known !== undefined) return known;
    const made = sharedSecret(this.#device, identity);
    this.#secrets.set(id, made);
    return made;
  }

  #key(id: string, identity: string, inst: string, way: readonly [from: string, to: string]): Promise<Key> {
    const name = `${way.join('>')} ${inst}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const derive = async (): Promise<Key> =>
      await crypto.subtle.deriveKey(
        { name: 'HKDF', hash: 'SHA-256', salt: utf8.encode(inst), info: utf8.encode(`synapse.v1 seal ${way.join('>')}`) },
        await this.#secret(id, identity),
        { name: 'AES-GCM', length: 256 },
        false,
        ['encrypt', 'decrypt'],
      );
    for (const oldest of [...this.#keys.keys()].slice(0, Math.max(0, this.#keys.size - MAX_KEYS))) this.#keys.delete(oldest);
    const made = derive();
    this.#keys.set(name, made);
    return made;
  }

  /** Returns the key for call hashes. A relay can distinguish calls but cannot guess their arguments. */
  #hashKey(id: string, identity: string): Promise<string> {
    const known = this.#hashKeys.get(id);
    if (known !== undefined) return known;
    const derive = async (): Promise<string> => {
      const info = utf8.encode('synapse.v1 call hash');
      const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
      return toBase64Url(new Uint8Array(await crypto.subtle.deriveBits(algorithm, await this.#secret(id, identity), 256)));
    };
    const made = derive();
    this.#hashKeys.set(id, made);
    return made;
  }

  /** Seals a frame for a device. Returns undefined if the device is not (or no longer) paired. */
  async seal(frame: DataFrame, to: string): Promise<DataFrame | undefined> {
    const identity = this.#identityOf(to);
    if (identity === undefined) return undefined;
    this.#sent += 1;
    const auth = { key: this.#device.id, to, inst: this.#inst, n: this.#sent };
    const { outer, inner } = splitFrame(frame);
    const hash = frame.type === 'tool_call' ? { hash: sha256(`${await this.#hashKey(to, identity)} ${frame.hash}`) } : {};
    const open = { ...outer, ...hash, auth };
    const key = await this.#key(to, identity, this.#inst, [this.#device.id, to]);
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: nonceOf(auth.n), additionalData: utf8.encode(canonicalJson(open)) },
      key,
      utf8.encode(JSON.stringify(inner)),
    );
    return parseDataFrame({ ...open, auth: { ...auth, box: toBase64Url(new Uint8Array(sealed)) } });
  }

  /** Opens a frame. Returns undefined if a paired device did not seal it for this device. Never rejects. */
  async open(frame: DataFrame): Promise<OpenedFrame | undefined> {
    const auth = 'auth' in frame ? frame.auth : undefined;
    const identity = auth === undefined ? undefined : this.#identityOf(auth.key);
    if (auth === undefined || identity === undefined || auth.to !== this.#device.id) return undefined;
    const { box, ...rest } = auth;
    try {
      const key = await this.#key(auth.key, identity, auth.inst, [auth.key, auth.to]);
      const opened = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: nonceOf(auth.n), additionalData: utf8.encode(canonicalJson({ ...frame, auth: rest })) },
        key,
        fromBase64Url(box),
      );
      const joined = parseDataFrame(joinFrame(frame, JSON.parse(new TextDecoder().decode(opened))));
      return joined === undefined ? undefined : { frame: joined, from: auth.key };
    } catch {
      // Forged or modified in transit. Treated as not received.
      return undefined;
    }
  }
}
