import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { detectEncoding, looksBinary, SNIFF_BYTES } from '../text/detect-encoding.ts';
import { decode, type TextEncoding } from '../text/encoding.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import { contentVersion } from '../workspace/version.ts';

/** Files over this many bytes are not edited as text: 10 MiB. */
export const MAX_EDITED_BYTES = 10 * 1024 * 1024;

/** A file as text, with what it takes to change the bytes it came from. */
export interface TextFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly version: string;
}

/** Refuses a file, before or after a change, that is too large to be edited. */
export function assertEditableSize(path: string, bytes: number, becomes = false): void {
  if (bytes <= MAX_EDITED_BYTES) return;
  throw new SynapseError(
    'too_large',
    `${path} ${becomes ? 'would have' : 'has'} ${size(bytes)}; files up to ${size(MAX_EDITED_BYTES)} can be edited${becomes ? ', and nothing was changed' : ''}.`,
    { hint: becomes ? 'Replace fewer or shorter parts.' : 'Use run_command with a tool for large files, such as sed.' },
  );
}

function binary(path: string): SynapseError {
  return new SynapseError('binary_file', `${path} is binary, so it cannot be edited as text.`, {
    hint: 'Only text files can be edited; write_file or run_command can replace it.',
  });
}

/** Takes the bytes of a file for text. */
export async function toTextFile(path: string, bytes: Uint8Array): Promise<TextFile> {
  const encoding = await detectEncoding(bytes);
  if (encoding === 'binary') throw binary(path);
  return { path, bytes, text: decode(bytes, encoding), encoding, version: contentVersion(bytes) };
}

/**
 * Reads a file that is to be edited.
 * @throws SynapseError `too_large`, or `binary_file` before the file is loaded
 */
export async function readTextFile(file: OpenFile): Promise<TextFile> {
  const path = displayPath(file.location);
  if (looksBinary(await file.read(0, SNIFF_BYTES))) throw binary(path);
  assertEditableSize(path, file.size);
  return toTextFile(path, await file.read(0, file.size));
}
