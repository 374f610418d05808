/** The first bytes of image formats that models can look at, and their media types. */
const SIGNATURES: ReadonlyArray<{ readonly mimeType: string; readonly at: number; readonly bytes: readonly number[] }> = [
  { mimeType: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { mimeType: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { mimeType: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  // RIFF....WEBP
  { mimeType: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** The media type of an image by its first bytes, never by its name. */
export function imageType(prefix: Uint8Array): string | undefined {
  return SIGNATURES.find(({ at, bytes }) => bytes.every((byte, index) => prefix[at + index] === byte))?.mimeType;
}
