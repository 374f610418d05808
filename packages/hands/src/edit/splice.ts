import { encodedLength, encodePiece, markOf, type TextEncoding } from '../text/encoding.ts';
import type { Replacement } from './changed-part.ts';

/**
 * Replaces parts of a file's bytes. Everything else stays as it is, byte for byte, also where it is
 * malformed.
 * @param text what the bytes decode to
 * @param replacements in ascending order, not overlapping
 * @throws SynapseError `encoding` where a new text cannot be written in the file's encoding
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

/** The same for the text itself. */
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
