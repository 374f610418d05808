import { displayPath, nameFromBytes } from '../workspace/byte-name.ts';

/** A file that a command could not read. */
export interface HiddenFile {
  /** For people. */
  readonly path: string;
  /** Inode, size, and time of its last change. */
  readonly stamp: string;
  /** Its path with one character a byte. */
  readonly bytes: string;
}

const utf8 = (path: string): string => displayPath(path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1'))));

/** The files that a command could not read, from the hash of their list in its record. */
export function hiddenFiles(find: (sum: string) => string | undefined, sum: string | undefined): HiddenFile[] {
  const fields = (sum === undefined ? '' : (find(sum) ?? '')).split('\0');
  const hidden: HiddenFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    hidden.push({ path: utf8(fields[at] ?? ''), stamp: fields[at + 1] ?? '', bytes: fields[at] ?? '' });
  return hidden;
}
