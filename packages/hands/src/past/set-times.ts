import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { AttributeWorker } from '../transaction/attribute-worker.ts';
import { setFileTimes } from '../transaction/exact-attributes.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { cursorAt } from '../workspace/tree-cursor.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

/** Opens a file of a copy; undefined if there is none. Follows no link. */
function openFile(copy: string, path: string): number | undefined {
  const location = parseWorkspacePath(path, []);
  try {
    using folder = cursorAt(copy, location.slice(0, -1));
    const descriptor = openSync(folder.at(location.at(-1) ?? ''), READ);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    if (!GONE.has(errnoOf(error))) throw error;
    return undefined;
  }
}

/**
 * Gives files of a copy of the workspace the times that they had elsewhere, so that searches answer in the same order.
 *
 * @param copy the folder of the copy
 * @param times nanoseconds since 1970 by path
 */
export async function setTimes(copy: string, times: Iterable<readonly [path: string, modified: bigint]>, signal: AbortSignal): Promise<void> {
  using attributes = new AttributeWorker();
  for (const [path, modified] of times) {
    const descriptor = openFile(copy, path);
    if (descriptor === undefined) continue;
    try {
      await setFileTimes(attributes, [{ descriptor, modified }], signal);
    } finally {
      closeSync(descriptor);
    }
  }
}
