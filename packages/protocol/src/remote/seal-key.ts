/** A value that may be there already. */
export type Soon<Value> = Value | Promise<Value>;

/** A key that seals and opens with AES-256-GCM. */
export interface SealKey {
  seal(nonce: Uint8Array<ArrayBuffer>, context: string, text: string): Soon<Uint8Array>;
  /** @throws for another key or context, or changed bytes */
  open(nonce: Uint8Array<ArrayBuffer>, context: string, sealed: Uint8Array<ArrayBuffer>): Soon<string>;
}

const TAG_BYTES = 16;
const utf8 = new TextEncoder();

/** Seals in browsers and Workers. */
export async function webKey(bytes: ArrayBuffer): Promise<SealKey> {
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({ name: 'AES-GCM', iv, additionalData: utf8.encode(context) });
  return {
    seal: async (nonce, context, text) => new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce, context), key, utf8.encode(text))),
    open: async (nonce, context, sealed) => new TextDecoder().decode(await crypto.subtle.decrypt(algorithm(nonce, context), key, sealed)),
  };
}

/** Node's implementation; undefined in browsers. WebCrypto would take each frame to another thread and back. */
const native = (globalThis as Partial<typeof globalThis>).process?.getBuiltinModule?.('node:crypto');

function nodeKey({ createCipheriv, createDecipheriv, createSecretKey }: NonNullable<typeof native>, bytes: ArrayBuffer): SealKey {
  // With a key that is given as bytes, each frame takes twice as long in Node 24.
  const key = createSecretKey(new Uint8Array(bytes));
  const options = { authTagLength: TAG_BYTES };
  return {
    seal: (nonce, context, text) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonce, options);
      cipher.setAAD(utf8.encode(context));
      return Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open: (nonce, context, sealed) => {
      const end = Math.max(0, sealed.length - TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, options);
      decipher.setAAD(utf8.encode(context));
      decipher.setAuthTag(sealed.subarray(end));
      return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]).toString('utf8');
    },
  };
}

/** Returns a key of 32 bytes. */
export const sealKey = (bytes: ArrayBuffer): Soon<SealKey> => (native === undefined ? webKey(bytes) : nodeKey(native, bytes));
