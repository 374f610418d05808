import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { contentVersion } from '../workspace/version.ts';
import type { OpenFile } from '../workspace/open-file.ts';

/** Providers refuse images whose base64 is over 5 MB; this much raw data stays below. */
const MAX_IMAGE_BYTES = 3_750_000;

/** Reads an image as content that a model can look at. */
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
