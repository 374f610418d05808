import { closeSync, constants, openSync, readSync, type PathLike } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK = 256 * 1024;
const buffers = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)] as const;

function fill(fd: number, buffer: Buffer): number {
  let length = 0;
  while (length < CHUNK) {
    const read = readSync(fd, buffer, length, CHUNK - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** Whether two regular files of equal size have equal content. An unreadable one counts as different. */
export function sameContent(one: PathLike, other: PathLike): boolean {
  using stack = new DisposableStack();
  try {
    const [first, second] = [one, other].map((path) => {
      const fd = openSync(path, READ);
      stack.defer(() => closeSync(fd));
      return fd;
    });
    if (first === undefined || second === undefined) return false;
    for (;;) {
      const lengths = [fill(first, buffers[0]), fill(second, buffers[1])] as const;
      if (lengths[0] !== lengths[1] || !buffers[0].subarray(0, lengths[0]).equals(buffers[1].subarray(0, lengths[1]))) return false;
      if (lengths[0] < CHUNK) return true;
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
