import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';
import type { Finding } from './workspace-index.ts';

const at = (self: string, path: string): Buffer => Buffer.from(`${self}/${path}`, 'latin1');
const identity = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

function fileAt(self: string, path: string): Stats | undefined {
  try {
    const stat = lstatSync(at(self, path), { throwIfNoEntry: false });
    return stat?.isFile() === true ? stat : undefined;
  } catch {
    // Not to be reached by this user, so not by a command either.
    return undefined;
  }
}

/** The entries of a folder; none where it is gone by now. One that cannot be read may hold such a name: then nothing is known. */
function entriesOf(self: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(at(self, folder), { encoding: 'latin1', withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Other names in the workspace of the files that may not be read: a mask lies over one name, and the file is read by the
 * next. Whether there are any is asked of the denied files only; every file is looked at just where there are.
 *
 * @param self the root through its handle
 * @param folders all folders of the workspace, as paths in bytes (latin1)
 */
export function secondNames(self: string, folders: Iterable<string>, findings: readonly Finding[]): Finding[] {
  const denied = findings.filter(({ kind, isFolder, behindLink }) => kind === 'denied' && !isFolder && behindLink !== 'outside');
  const wanted = new Set(
    denied.flatMap(({ path }) => {
      const stat = fileAt(self, path);
      return stat === undefined || stat.nlink < 2 ? [] : [identity(stat)];
    }),
  );
  if (wanted.size === 0) return [];
  const known = new Set(denied.map(({ path }) => path));
  const found: Finding[] = [];
  for (const folder of folders) {
    for (const entry of entriesOf(self, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isFile() || known.has(path)) continue;
      const stat = fileAt(self, path);
      if (stat !== undefined && stat.nlink > 1 && wanted.has(identity(stat)))
        found.push({ path, kind: 'denied', isFolder: false, behindLink: 'inside' });
    }
  }
  return found;
}
