import { visitIndex } from '../git-format/visit-index.ts';

const STAGE_FLAGS = 0x3000;

/**
 * Returns the objects that an index of git has for files, in hexadecimal digits. Entries in conflict, and those of a format that is not
 * understood, are missing.
 *
 * @param wanted paths relative to the worktree, each character standing for one byte (latin1)
 */
export function stagedObjects(bytes: Buffer, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let before = '';
  visitIndex(bytes, ({ object, flags, name, zero, dropped = before.length }) => {
    const path = before.slice(0, Math.max(0, before.length - dropped)) + bytes.toString('latin1', name, zero);
    if ((bytes.readUInt16BE(flags) & STAGE_FLAGS) === 0 && wanted.has(path)) found.set(path, bytes.toString('hex', object, flags));
    before = path;
  });
  return found;
}
