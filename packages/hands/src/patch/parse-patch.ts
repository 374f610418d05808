import { isEnvelope, parseEnvelope } from './parse-envelope.ts';
import { parseUnified } from './parse-unified.ts';
import type { FilePatch } from './patch.ts';
import { patchError } from './patch-error.ts';
import { readPatchText } from './patch-text.ts';

/**
 * Reads a patch in either form. Pure: it looks at nothing but the text.
 * @throws SynapseError `invalid_arguments` naming the line, `binary_file` or `wrong_type`
 */
export function parsePatch(text: string): FilePatch[] {
  const reader = readPatchText(text);
  const files = isEnvelope(reader) ? parseEnvelope(reader) : parseUnified(reader);
  if (files.length === 0) {
    const escaped = reader.lines.length === 1 && text.includes(String.raw`\n`);
    throw escaped
      ? patchError(undefined, String.raw`is one line, in which its line breaks are written as \n`, 'Send it with real line breaks.')
      : patchError(undefined, 'names no file');
  }
  return files;
}
