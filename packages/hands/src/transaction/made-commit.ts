import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { Confinement } from '../workspace/confinement.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import type { MadeCommit } from './commit-order.ts';

/** Maximum size of a commit, compressed and not. */
const MAX_BYTES = 256 * 1024;
const MAX_SUBJECT = 120;

/** Reads a commit from a loose object; undefined if it is another object, or damaged. */
export function parseCommit(object: Buffer): MadeCommit | undefined {
  let text: string;
  try {
    text = inflateSync(object, { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    return undefined;
  }
  const start = /^commit \d+\0/u.exec(text)?.[0];
  const end = text.indexOf('\n\n');
  if (start === undefined || end < 0) return undefined;
  const parents = text.slice(start.length, end).matchAll(/^parent (?<hash>[\da-f]{40,64})$/gmu);
  const subject =
    text
      .slice(end + 2)
      .trimStart()
      .split('\n', 1)[0] ?? '';
  return { parents: Array.from(parents, ({ groups }) => groups?.['hash'] ?? ''), subject: subject.slice(0, MAX_SUBJECT) };
}

/** Reads a loose object of a repository; undefined if it is not there, or too large. @param hash a hash, which becomes part of a path */
export function looseObject(tree: Confinement, repository: string, hash: string): Buffer | undefined {
  const folder = [...repository.split('/'), 'objects', hash.slice(0, 2)].map((name) => nameFromBytes(Buffer.from(name, 'latin1')));
  try {
    using directory = tree.openDirectory(folder);
    const fd = openSync(directory.at(hash.slice(2)), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(fd) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // It is packed, or of the other side.
    return undefined;
  }
}

/** Reads a commit of one side: from the upper folder of a copy, one that the command made. */
export function commitIn(tree: Confinement, repository: string, hash: string): MadeCommit | undefined {
  const object = looseObject(tree, repository, hash);
  return object === undefined ? undefined : parseCommit(object);
}
