import { parseAppended } from './appended-text.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { canonicalJson } from './call-hash.ts';
import { DerivedValues } from './derived-values.ts';
import { sharedSecret, type Device } from './device.ts';
import { parseDataFrame, type DataFrame, type DataFrames } from './frames.ts';
import { sealKey, type SealKey, type Soon } from './seal-key.ts';
import { joinFrame, secretText, withoutSecrets } from './sealing.ts';
import { sha256 } from './sha256.ts';

type Secret = Awaited<ReturnType<typeof sharedSecret>>;
type Auth = NonNullable<DataFrames['tool_call']['auth']>;

/** Maximum number of keys to cache, of each kind. */
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
  readonly #secrets = new DerivedValues<Secret>(MAX_KEYS);
  readonly #keys = new DerivedValues<SealKey>(MAX_KEYS);
  readonly #hashKeys = new DerivedValues<string>(MAX_KEYS);
  #sent = 0;

  /** @param identityOf returns the public keys of a paired device; frames of others are not opened */
  constructor(device: Device, inst: string, identityOf: (id: string) => string | undefined) {
    this.#device = device;
    this.#inst = inst;
    this.#identityOf = identityOf;
  }

  #secret(id: string, identity: string): Soon<Secret> {
    return this.#secrets.get(id, () => sharedSecret(this.#device, identity));
  }

  async #derive(id: string, identity: string, info: string, salt: string): Promise<ArrayBuffer> {
    const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: utf8.encode(salt), info: utf8.encode(info) };
    return await crypto.subtle.deriveBits(algorithm, await this.#secret(id, identity), 256);
  }

  #key(id: string, identity: string, inst: string, way: readonly [from: string, to: string]): Soon<SealKey> {
    const name = way.join('>');
    return this.#keys.get(`${name} ${inst}`, async () => await sealKey(await this.#derive(id, identity, `synapse.v1 seal ${name}`, inst)));
  }

  /** Returns the key for call hashes. A relay can distinguish calls but cannot guess their arguments. */
  #hashKey(id: string, identity: string): Soon<string> {
    return this.#hashKeys.get(id, async () => toBase64Url(new Uint8Array(await this.#derive(id, identity, 'synapse.v1 call hash', ''))));
  }

  /**
   * Seals a frame for a device. Returns undefined if the device is not (or no longer) paired. Returns at once if the keys are known and
   * the platform can.
   *
   * @param appends whether the receiver can read texts that are appended to their frames
   */
  seal(frame: DataFrame, to: string, appends = false): Soon<DataFrame | undefined> {
    const identity = this.#identityOf(to);
    if (identity === undefined) return undefined;
    this.#sent += 1;
    const auth = { key: this.#device.id, to, inst: this.#inst, n: this.#sent };
    const key = this.#key(to, identity, this.#inst, [this.#device.id, to]);
    const hashKey = frame.type === 'tool_call' ? this.#hashKey(to, identity) : '';
    if (!(key instanceof Promise) && !(hashKey instanceof Promise)) return sealWith(key, hashKey, frame, auth, appends);
    return Promise.all([key, hashKey]).then(([one, other]) => sealWith(one, other, frame, auth, appends));
  }

  /** Opens a frame. Returns undefined if a paired device did not seal it for this device. Never rejects. */
  open(frame: DataFrame): Soon<OpenedFrame | undefined> {
    const auth = 'auth' in frame ? frame.auth : undefined;
    const identity = auth === undefined ? undefined : this.#identityOf(auth.key);
    if (auth === undefined || identity === undefined || auth.to !== this.#device.id) return undefined;
    try {
      const key = this.#key(auth.key, identity, auth.inst, [auth.key, auth.to]);
      const opened = key instanceof Promise ? key.then((one) => openWith(one, frame, auth)) : openWith(key, frame, auth);
      return opened instanceof Promise ? opened.catch(() => undefined) : opened;
    } catch {
      // Forged or modified in transit. Treated as not received.
      return undefined;
    }
  }
}

function sealWith(key: SealKey, hashKey: string, frame: DataFrame, auth: Omit<Auth, 'box'>, appends: boolean): Soon<DataFrame> {
  const hash = frame.type === 'tool_call' ? { hash: sha256(`${hashKey} ${frame.hash}`) } : {};
  const open: DataFrame = { ...withoutSecrets(frame), ...hash };
  const finish = (bytes: Uint8Array): DataFrame => {
    // A variable, because the type of `peer` has no `auth`. Such frames are the relay's own, and never sealed.
    const made = { ...open, auth: { ...auth, box: toBase64Url(bytes) } };
    return made;
  };
  const sealed = key.seal(nonceOf(auth.n), canonicalJson({ ...open, auth }), secretText(frame, appends));
  return sealed instanceof Promise ? sealed.then(finish) : finish(sealed);
}

/** @throws for a frame that was forged or modified */
function openWith(key: SealKey, frame: DataFrame, auth: Auth): Soon<OpenedFrame | undefined> {
  const { box, ...rest } = auth;
  const finish = (text: string): OpenedFrame | undefined => {
    const joined = parseDataFrame(joinFrame(frame, parseAppended(text)));
    return joined === undefined ? undefined : { frame: joined, from: auth.key };
  };
  const opened = key.open(nonceOf(auth.n), canonicalJson({ ...frame, auth: rest }), fromBase64Url(box));
  return opened instanceof Promise ? opened.then(finish) : finish(opened);
}
