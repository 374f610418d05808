import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { contentVersion, type OpenFile } from '../workspace/open-file.ts';

/** Maximum size of an image, in bytes. Providers reject images with more than 5 MB of base64; this size stays below. */
const MAX_IMAGE_BYTES = 3_750_000;

/** Reads an image as content for models. */
export async function readImage(path: string, file: OpenFile, mimeType: string) {
  if (file.size > MAX_IMAGE_BYTES) {
    throw new SynapseError('too_large', `${path} is an image of ${size(file.size)}; at most ${size(MAX_IMAGE_BYTES)} can be shown.`, {
      hint: 'Make a smaller copy of it with run_command, then read that.',
    });
  }
  const bytes = await file.read(0, file.size);
  const version = contentVersion(bytes);
  const data = bytes.toString('base64');
  return {
    data: {
      path,
      kind: 'image' as const,
      content: data,
      size: file.size,
      version,
      encoding: mimeType,
      first_line: 0,
      last_line: 0,
      total_lines: null,
      truncated: false,
    },
    content: [{ type: 'image' as const, data, mimeType }],
    note: `${mimeType}, ${size(file.size)}; version ${version}`,
  };
}

/** Signatures of the image formats that models accept, and their media types. */
const SIGNATURES: ReadonlyArray<{ readonly mimeType: string; readonly at: number; readonly bytes: readonly number[] }> = [
  { mimeType: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mimeType: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { mimeType: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  // RIFF....WEBP
  { mimeType: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** Returns the media type of an image from its first bytes, never from its name. */
export function imageType(prefix: Uint8Array): string | undefined {
  return SIGNATURES.find(({ at, bytes }) => bytes.every((byte, index) => prefix[at + index] === byte))?.mimeType;
}
