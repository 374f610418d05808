import { lstatSync } from 'node:fs';
import { normalize, relative } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import { displayText } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { UnreadableFile } from '../process/unreadable-file.ts';
import { MAX_WHOLE_BYTES } from '../process/whole-read-limit.ts';
import { type GitFolders, realPathOf } from './git-folder.ts';
import { OWN_PLACE } from './git-mounts.ts';

/** Files in the working tree that git reads whole. */
const AT_THE_TOP = ['.gitignore', '.gitattributes', '.mailmap', '.gitmodules'];
/** The same in the folder of the repository's data. */
const IN_OWN = ['logs/HEAD', 'info/sparse-checkout'];
const IN_COMMON = ['info/exclude', 'info/attributes', 'info/grafts', 'packed-refs', 'shallow'];

const AGAIN = 'Remove it, or put a file of ordinary size in its place.';

/** Returns a path that git uses, for a message. */
function shownPath(path: string, root: PinnedDirectory, shadow: string): string {
  const folders = [shadow, `${OWN_PLACE}/repository`, `${OWN_PLACE}/own`, `${OWN_PLACE}/common`];
  const data = folders.find((folder) => path.startsWith(`${folder}/`));
  if (data !== undefined) return displayText(normalize(`.git/${path.slice(data.length + 1)}`));
  const top = realPathOf(root);
  if (!path.startsWith('/')) return displayText(path);
  return isWithin(path, top) ? displayText(relative(top, path)) : 'a file of its settings';
}

const WHOLE = /(?:^|\/)(?:\.git(?:ignore|attributes|modules)|\.mailmap|[A-Z_]*HEAD|packed-refs|config|(?:refs|logs|info)\/.*)$/u;

/** Whether git reads a file whole. Contents of files and objects are streamed or mapped. */
export const readsWhole = (path: string): boolean => WHOLE.test(path);

/**
 * Creates the error for a file that git cannot read to its end.
 *
 * @param shadow the folder that replaces `.git`, as git sees it
 */
export function unreadableFile({ path, bytes }: UnreadableFile, root: PinnedDirectory, shadow: string): SynapseError {
  const shown = shownPath(path, root, shadow);
  if (bytes === undefined) return new SynapseError('wrong_type', `git cannot read ${shown}: it is a named pipe.`, { hint: AGAIN });
  return new SynapseError('too_large', `git reads ${shown} whole, and it has ${size(bytes)}.`, { hint: AGAIN });
}

/** Throws for a file that git would read whole but that is not one, such as a pipe or a device, or that is huge. What a link leads to is found while git runs. */
export function assertReadableFiles(root: PinnedDirectory, { own, common }: GitFolders): void {
  const check = (folder: PinnedDirectory, names: readonly string[], prefix: string): void => {
    for (const name of names) {
      const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
      if (stat === undefined || stat.isSymbolicLink() || stat.isDirectory()) continue;
      if (!stat.isFile())
        throw new SynapseError(prefix === '' ? 'wrong_type' : 'not_a_repository', `git cannot read ${prefix}${name}: it is not a regular file.`, {
          hint: AGAIN,
        });
      if (stat.size > MAX_WHOLE_BYTES)
        throw new SynapseError('too_large', `git reads ${prefix}${name} whole, and it has ${size(stat.size)}.`, { hint: AGAIN });
    }
  };
  check(root, AT_THE_TOP, '');
  check(own, IN_OWN, '.git/');
  check(common, IN_COMMON, '.git/');
}
