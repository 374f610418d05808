import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, fstatSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { bytePath } from '../workspace/workspace-path.ts';
import { hasSameContent, type ChangeEntry } from './change-entry.ts';

/** Maximum bytes of an object, also uncompressed, that is compared with its name. */
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;
/** An object of git, or a pack of them with its index. Their names are sums of what is in them, and git never writes one anew. */
const OBJECT =
  /(?:^|\/)objects\/(?:(?<head>[\da-f]{2})\/(?<rest>[\da-f]{38}(?:[\da-f]{24})?)|pack\/pack-[\da-f]{40}(?:[\da-f]{24})?\.(?:pack|idx))$/u;
/** Characters of a name by SHA-1. */
const SHA1_LENGTH = 40;

/** Whether an object of git got another content, so that git shows that in place of what was committed, in no diff and no commit. */
export function isChangedObject(entry: ChangeEntry): boolean {
  const { location, name, now, before, upper } = entry;
  const object = before?.isFile() === true ? OBJECT.exec(bytePath(location))?.groups : undefined;
  if (object === undefined || hasSameContent(entry)) return false;
  const { head, rest } = object;
  // What was damaged may be repaired.
  return head === undefined || !now.isFile() || !isNamed(upper.at(name), `${head}${rest}`);
}

/** Whether a file is an object with that name. */
function isNamed(path: string | Buffer, name: string): boolean {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(fd).size > MAX_OBJECT_BYTES) return false;
    const bytes = inflateSync(readFileSync(fd), { maxOutputLength: MAX_OBJECT_BYTES });
    return (
      createHash(name.length === SHA1_LENGTH ? 'sha1' : 'sha256')
        .update(bytes)
        .digest('hex') === name
    );
  } catch {
    // It is not compressed as one, or too large.
    return false;
  } finally {
    closeSync(fd);
  }
}
