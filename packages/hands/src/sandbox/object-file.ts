import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Magic number and version 2 of the index of a pack. */
const PACK_INDEX = Buffer.from('ff744f6300000002', 'hex');
/** Offsets in it: for each first byte of a name, the number of names up to it; the names. */
const [COUNTS_AT, NAMES_AT] = [8, 8 + 256 * 4];
const NAME_BYTES = 20;
/** Names with the same first byte; a pack with more has hundreds of millions of objects. */
const MAX_NAMES = 1_000_000;

/** Whether the index of a pack has an object. */
function isIn(index: Buffer, object: Buffer): boolean {
  const fd = openSync(index, READ);
  try {
    const head = Buffer.alloc(NAMES_AT);
    if (readSync(fd, head, 0, NAMES_AT, 0) < NAMES_AT || !head.subarray(0, COUNTS_AT).equals(PACK_INDEX)) return false;
    const first = object[0] ?? 0;
    const from = first === 0 ? 0 : head.readUInt32BE(COUNTS_AT + (first - 1) * 4);
    const count = head.readUInt32BE(COUNTS_AT + first * 4) - from;
    if (count <= 0 || count > MAX_NAMES) return false;
    const names = Buffer.alloc(count * NAME_BYTES);
    readSync(fd, names, 0, names.length, NAMES_AT + from * NAME_BYTES);
    for (let at = names.indexOf(object); at !== -1; at = names.indexOf(object, at + 1)) if (at % NAME_BYTES === 0) return true;
    return false;
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the path of the file that holds an object of git, alone or in a pack; undefined if there is none. Not what other repositories hold.
 *
 * @param folder the objects of a repository; each character stands for one byte (latin1), as in the result
 * @param object its name, in hexadecimal digits
 */
export function objectFile(folder: string, object: string): string | undefined {
  const loose = `${folder}/${object.slice(0, 2)}/${object.slice(2)}`;
  if (existsSync(Buffer.from(loose, 'latin1'))) return loose;
  const packs = `${folder}/pack`;
  try {
    const indexes = readdirSync(Buffer.from(packs, 'latin1'), 'latin1').filter((name) => name.endsWith('.idx'));
    const found = indexes.find((name) => isIn(Buffer.from(`${packs}/${name}`, 'latin1'), Buffer.from(object, 'hex')));
    return found === undefined ? undefined : `${packs}/${found.replace(/idx$/u, 'pack')}`;
  } catch (error) {
    // A repository without packs, or one that changes right now.
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
