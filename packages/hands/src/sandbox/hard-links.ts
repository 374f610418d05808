import { lstatSync, type Stats } from 'node:fs';
import { entriesOf, pathIn, type Folder } from '../workspace-index/folder.ts';
import { TimeSlice } from '../events/timing.ts';
import type { PlaceFinding } from './finding.ts';

const identity = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

function fileAt(self: string, path: string): Stats | undefined {
  try {
    const stat = lstatSync(Buffer.from(`${self}/${path}`, 'latin1'), { throwIfNoEntry: false });
    return stat?.isFile() === true ? stat : undefined;
  } catch {
    // Not accessible to this user, so not to a command either.
    return undefined;
  }
}

/** Input of {@link HardLinks.find}. */
export interface SecondNamesRequest {
  /** The path of the root through its handle. */
  readonly self: string;
  readonly folders: ReadonlyMap<string, Folder>;
  /** Whether commands can see a folder. */
  readonly open: (path: string) => boolean;
  readonly findings: readonly PlaceFinding[];
}

/** The files of one folder listing, by inode. */
interface Files {
  readonly folder: Folder;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/**
 * Finds other names in the workspace of files that must not be read: a mask covers one name, and the file could be read by
 * another. First checks only the denied files for several names. If there are any, it looks at every file, but only once:
 * a name keeps its file unless its folder changes.
 */
export class HardLinks {
  readonly #files = new Map<string, Files>();

  async find({ self, folders, open, findings }: SecondNamesRequest): Promise<PlaceFinding[]> {
    const denied = findings.filter(({ kind, isFolder, behindLink }) => kind === 'denied' && !isFolder && behindLink !== 'outside');
    const wanted = new Set(
      denied.flatMap(({ path }) => {
        const stat = fileAt(self, path);
        return stat === undefined || stat.nlink < 2 ? [] : [identity(stat)];
      }),
    );
    if (wanted.size === 0) {
      this.#files.clear();
      return [];
    }
    for (const path of this.#files.keys()) if (!folders.has(path)) this.#files.delete(path);
    const slice = new TimeSlice();
    const known = new Set(denied.map(({ path }) => path));
    const found: PlaceFinding[] = [];
    for (const [path, folder] of folders) {
      if (!open(path)) continue;
      let files = this.#files.get(path);
      if (files?.folder !== folder) this.#files.set(path, (files = await readFiles(self, path, folder, slice)));
      for (const one of wanted) {
        for (const name of files.names.get(one) ?? []) {
          const below = pathIn(path, name);
          if (!known.has(below)) found.push({ path: below, kind: 'denied', isFolder: false, behindLink: 'inside' });
        }
      }
    }
    return found;
  }
}

async function readFiles(self: string, path: string, folder: Folder, slice: TimeSlice): Promise<Files> {
  const names = new Map<string, string[]>();
  for (const { name, kind } of entriesOf(folder)) {
    if (kind !== 'file') continue;
    const stat = fileAt(self, pathIn(path, name));
    if (stat === undefined) continue;
    const same = names.get(identity(stat));
    if (same === undefined) names.set(identity(stat), [name]);
    else same.push(name);
    if (slice.isOver) await slice.next();
  }
  return { folder, names };
}
