// Writes the few structures of DER that certificates have (ITU-T X.690). Node makes keys and signatures, but no certificates.

const lengthOf = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

/** A value with its tag and length. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content);
export const setOf = (...content: readonly Uint8Array[]): Buffer => element(0x31, ...content);
export const octets = (bytes: Uint8Array): Buffer => element(0x04, bytes);
/** @param unused number of bits that do not count in the last byte */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), bytes);
export const yes = (): Buffer => Buffer.from([0x01, 0x01, 0xff]);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));

/** A number without a sign, from its bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first === -1 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  return element(0x02, (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
}

/** An object identifier, such as `2.5.29.17`. */
export function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const inBase128 = (part: number): number[] => {
    const digits = [part & 0x7f];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | (left & 0x7f));
    return digits;
  };
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inBase128)]));
}

/** A time: two digits of the year until 2049, four after it. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/gu, '')}Z`;
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(text.slice(2))) : element(0x18, Buffer.from(text));
}
