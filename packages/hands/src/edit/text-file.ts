import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { detectEncoding, looksBinary, SNIFF_BYTES } from '../text/detect-encoding.ts';
import { decode, encodedLength, encodePiece, markOf, type TextEncoding } from '../text/encoding.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { contentVersion, type OpenFile } from '../workspace/open-file.ts';
import type { Replacement } from './changed-part.ts';

/** Maximum size of a file that can be edited as text: 10 MiB. */
const MAX_EDITED_BYTES = 10 * 1024 * 1024;

/** A file as text, with the data needed to change its bytes. */
interface TextFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly version: string;
}

/** Throws if a file is too large to edit, before or after a change. */
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

/** Decodes the bytes of a file as text. */
export async function toTextFile(path: string, bytes: Uint8Array): Promise<TextFile> {
  const encoding = await detectEncoding(bytes);
  if (encoding === 'binary') throw binary(path);
  return { path, bytes, text: decode(bytes, encoding), encoding, version: contentVersion(bytes) };
}

/**
 * Reads a file for editing.
 * @throws SynapseError `too_large`, or `binary_file` before the file is loaded
 */
export async function readTextFile(file: OpenFile): Promise<TextFile> {
  const path = displayPath(file.location);
  if (looksBinary(await file.read(0, SNIFF_BYTES))) throw binary(path);
  assertEditableSize(path, file.size);
  return toTextFile(path, await file.read(0, file.size));
}

/**
 * Replaces parts of a file's bytes. All other bytes stay unchanged, even if they are malformed.
 * @param text the decoded bytes
 * @param replacements in ascending order, not overlapping
 * @throws SynapseError `encoding` if a new text cannot be written in the file's encoding
 */
export function spliceBytes(bytes: Uint8Array, text: string, encoding: TextEncoding, replacements: readonly Replacement[]): Buffer {
  const parts: Uint8Array[] = [];
  let textPosition = 0;
  let position = markOf(encoding).length;
  let kept = 0;
  for (const replacement of replacements) {
    const start = position + encodedLength(text.slice(textPosition, replacement.start), encoding);
    const end = start + encodedLength(text.slice(replacement.start, replacement.end), encoding);
    parts.push(bytes.subarray(kept, start), encodePiece(replacement.text, encoding));
    kept = end;
    position = end;
    textPosition = replacement.end;
  }
  parts.push(bytes.subarray(kept));
  return Buffer.concat(parts);
}

/** Replaces parts of a text. */
export function spliceText(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let kept = 0;
  for (const { start, end, text: replacement } of replacements) {
    parts.push(text.slice(kept, start), replacement);
    kept = end;
  }
  parts.push(text.slice(kept));
  return parts.join('');
}
