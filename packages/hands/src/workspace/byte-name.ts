import { isUtf8 } from 'node:buffer';

/**
 * One component of a path. File names on POSIX are bytes: a name that is not valid UTF-8 stays a
 * Buffer, so that it can still be opened and deleted.
 */
export type Name = string | Buffer;

// Control characters, bidirectional overrides, zero-width and other invisible characters forge lines
// in logs and hide the real name. They are shown as \xNN, and names with them are never created.
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]/u;
const DECEPTIVE_ALL = new RegExp(DECEPTIVE.source, 'gu');
/** Visible ASCII without a backslash, shown as it is: nearly all names. The tests for the others are slow. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/u;
const ESCAPE = /\\x([0-9a-f]{2})/giu;

/** Whether a name has characters that are invisible or that a terminal interprets. */
export function isDeceptive(name: string): boolean {
  return DECEPTIVE.test(name);
}

/** Whether a text has a `\xNN` escape, as {@link displayName} writes it. */
export function hasByteEscape(text: string): boolean {
  return text.search(ESCAPE) !== -1;
}

/** A backslash that would be read as the start of an escape. */
const ESCAPE_START = /\\(?=x[0-9a-f]{2})/giu;

/** Converts bytes from the file system to a name: a string if they are UTF-8, else the bytes. */
export function nameFromBytes(bytes: Buffer): Name {
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes;
}

const BACKSLASH = 0x5c;

function escapeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Formats a text as one safe line. Characters that are invisible or that a terminal interprets become `\xNN` per byte. */
export function displayText(text: string): string {
  return DECEPTIVE.test(text) ? text.replace(DECEPTIVE_ALL, (c) => escapeBytes(Buffer.from(c))) : text;
}

/** Formats a name as one safe line, unambiguously. Bytes that cannot be shown as they are become `\xNN`. */
export function displayName(name: Name): string {
  if (typeof name === 'string') {
    if (PLAIN.test(name)) return name;
    return displayText(name.includes('\\') ? name.replace(ESCAPE_START, '\\x5c') : name);
  }
  let shown = '';
  // Latin-1 keeps one character per byte, so the escapes below are exact.
  for (const byte of name) shown += byte >= 0x20 && byte < 0x7f && byte !== BACKSLASH ? String.fromCharCode(byte) : escapeBytes(Uint8Array.of(byte));
  return shown;
}

/** Decodes `\xNN` escapes to the bytes they stand for. */
export function unescapeName(text: string): Name {
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(Buffer.from(text.slice(end, match.index)), Buffer.from([Number.parseInt(match[1] ?? '', 16)]));
    end = match.index + match[0].length;
  }
  parts.push(Buffer.from(text.slice(end)));
  return nameFromBytes(Buffer.concat(parts));
}

/** Joins a directory and names below it to a path for `node:fs`. */
export function joinNames(base: string, names: readonly Name[]): string | Buffer {
  if (names.every((name) => typeof name === 'string')) return names.length === 0 ? base : `${base}/${names.join('/')}`;
  const slash = Buffer.from('/');
  return Buffer.concat([Buffer.from(base), ...names.flatMap((name) => [slash, Buffer.from(name)])]);
}

/** Formats names below the workspace root as one path; the root itself is `.`. */
export function displayPath(names: readonly Name[]): string {
  return names.length === 0 ? '.' : names.map(displayName).join('/');
}

/** Removes the workspace's real path from the file names in a text, because programs report absolute paths. */
export function belowRoot(root: string): (text: string) => string {
  // Not from the middle of another path, which would then name a place that does not exist.
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}._/-])${RegExp.escape(root)}/`, 'gu');
  return (text) => text.replaceAll(pattern, '');
}
