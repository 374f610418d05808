import { TextDecoder } from 'node:util';

/** What windows-1252 has from 0x80 to 0x9f (WHATWG Encoding, index-windows-1252). */
const UPPER_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

interface Decoder {
  /** The WHATWG name. */
  readonly encoding: string;
  decode(bytes: Uint8Array): string;
}

/**
 * Returns a decoder for an encoding. Early versions of Node 22 read windows-1252 as Latin-1, which has control characters where
 * Windows has quotes and the euro sign.
 *
 * @param options as of `TextDecoder`
 * @throws RangeError for an unknown label
 */
export function textDecoder(label: string, options?: { readonly ignoreBOM?: boolean }): Decoder {
  const decoder = new TextDecoder(label, options);
  if (decoder.encoding !== 'windows-1252' || decoder.decode(Uint8Array.of(0x80)) === '€') return decoder;
  return {
    encoding: decoder.encoding,
    // Not with the decoder, which also drops a first byte of 0xff.
    decode: ({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength)
        .toString('latin1')
        .replaceAll(/[\u0080-\u009f]/gu, (control) => UPPER_CONTROLS.charAt(control.charCodeAt(0) - 0x80)),
  };
}
