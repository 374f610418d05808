import { SynapseError } from '@synapse/protocol';
import { legacyTable } from './legacy-table.ts';
import { textDecoder } from './text-decoder.ts';

/** The encoding of a text file. */
export interface TextEncoding {
  /** `utf-8`, `utf-16le`, `utf-16be`, a WHATWG name such as `windows-1252`, or {@link UNKNOWN_8BIT}. */
  readonly name: string;
  /** Whether the file begins with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
}

/**
 * The encoding of a file that mixes encodings, such as UTF-8 with some Latin-1. Each byte is one character, and
 * only ASCII can be written, because any other letter would be wrong in part of the file.
 */
export const UNKNOWN_8BIT = 'unknown-8bit';

/** The encoding of new files. */
export const UTF_8: TextEncoding = { name: 'utf-8', bom: false };

const MARKS: Readonly<Record<string, readonly number[]>> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
};

/** Returns the bytes of the byte order mark; empty if the file has none. */
export function markOf(encoding: TextEncoding): Uint8Array {
  return Uint8Array.from(encoding.bom ? (MARKS[encoding.name] ?? []) : []);
}

function swapped(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

/** Returns the encoding's name for `TextDecoder`. */
function decoderLabel(encoding: TextEncoding): string {
  return encoding.name === UNKNOWN_8BIT ? 'windows-1252' : encoding.name;
}

/**
 * Decodes a file without its byte order mark. The result is always well-formed: half a surrogate pair in UTF-16
 * becomes U+FFFD, one unit for one, so that offsets still correspond to positions in the bytes.
 */
export function decode(bytes: Uint8Array, encoding: TextEncoding): string {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(markOf(encoding).length);
  switch (encoding.name) {
    case 'utf-8':
      return body.toString('utf8');
    case 'utf-16le':
      return body.toString('utf16le').toWellFormed();
    case 'utf-16be':
      return swapped(body).toString('utf16le').toWellFormed();
    default:
      return textDecoder(decoderLabel(encoding), { ignoreBOM: true }).decode(body);
  }
}

function unwritable(text: string, offset: number, encoding: TextEncoding): never {
  const point = text.codePointAt(offset) ?? 0;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  const character = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(String.fromCodePoint(point))
    ? `${JSON.stringify(String.fromCodePoint(point))} (${code})`
    : code;
  const line = text.slice(0, offset).split('\n').length;
  const unknown = encoding.name === UNKNOWN_8BIT;
  throw new SynapseError(
    'encoding',
    unknown
      ? `${character} on line ${line} of the new text cannot be written: the file mixes encodings, so only ASCII is safe in it.`
      : `${character} on line ${line} of the new text cannot be written in the file's encoding, ${encoding.name}.`,
    {
      hint: unknown
        ? 'Use ASCII characters only, or rewrite the whole file as UTF-8 with write_file.'
        : `Use characters that ${encoding.name} has, or rewrite the whole file as UTF-8 with write_file.`,
      details: { character: String.fromCodePoint(point).toWellFormed(), code_point: code, line, encoding: encoding.name },
    },
  );
}

function encodeLegacy(text: string, encoding: TextEncoding): Buffer {
  const { bytes: table } = legacyTable(encoding.name);
  // Legacy encodings need at most two bytes for a UTF-16 unit.
  const bytes = Buffer.allocUnsafe(text.length * 2);
  let end = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const point = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(index) ?? unit) : unit;
    const code = table.get(point);
    if (code === undefined) unwritable(text, index, encoding);
    if (code > 0xff) end = bytes.writeUInt8(code >> 8, end);
    end = bytes.writeUInt8(code & 0xff, end);
    if (point > 0xffff) index += 1;
  }
  return bytes.subarray(0, end);
}

/** Encodes a piece of text without a byte order mark. */
export function encodePiece(text: string, encoding: TextEncoding): Buffer {
  switch (encoding.name) {
    case 'utf-8':
    case 'utf-16le':
    case 'utf-16be': {
      if (!text.isWellFormed()) unwritable(text, text.search(/\p{Surrogate}/u), encoding);
      if (encoding.name === 'utf-8') return Buffer.from(text, 'utf8');
      const bytes = Buffer.from(text, 'utf16le');
      return encoding.name === 'utf-16le' ? bytes : bytes.swap16();
    }
    case UNKNOWN_8BIT: {
      const offset = text.search(/[^\0-\u007f]/u);
      if (offset !== -1) unwritable(text, offset, encoding);
      return Buffer.from(text, 'latin1');
    }
    default:
      return encodeLegacy(text, encoding);
  }
}

/**
 * Encodes a whole file: the byte order mark, if the encoding has one, and the text.
 * @throws SynapseError `encoding` with the first character that the encoding cannot represent
 */
export function encode(text: string, encoding: TextEncoding): Buffer {
  const piece = encodePiece(text, encoding);
  return encoding.bom ? Buffer.concat([markOf(encoding), piece]) : piece;
}

/** Returns the number of bytes that a piece of decoded text has in the original file. */
export function encodedLength(text: string, encoding: TextEncoding): number {
  switch (encoding.name) {
    case 'utf-8':
      return Buffer.byteLength(text);
    case 'utf-16le':
    case 'utf-16be':
      return text.length * 2;
    case UNKNOWN_8BIT:
      return text.length;
    default:
      return legacyTable(encoding.name).singleByte ? text.length : encodeLegacy(text, encoding).length;
  }
}
