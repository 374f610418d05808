import { isWithin } from '../workspace/open-root.ts';
import { keepAnonymous, openAnonymous, type ReadHandle } from './anonymous-file.ts';

/** A file of which each command gets a copy in its home folder. */
export interface HomeFile {
  /** Path relative to the home folder. */
  readonly name: string;
  readonly content: string;
}

/** An open home file that bubblewrap copies. */
export interface OpenHomeFile extends ReadHandle {
  readonly path: string;
}

/** Unlinked files by content. A process only has a few different ones. */
const held = new Map<string, number>();

/**
 * Opens files for a command to inherit. Skips empty files, and all files if there is no private home folder.
 *
 * @param mounted paths of other mounts: a file there would be created in the workspace, or in a read-only folder, which fails
 */
export function openHomeFiles(home: string | undefined, files: readonly HomeFile[], mounted: readonly string[]): OpenHomeFile[] & Disposable {
  // The home folder is a mount itself, which covers those above it.
  const below = mounted.filter((place) => home !== undefined && place !== home && isWithin(place, home));
  const isFree = (path: string): boolean => !below.some((place) => isWithin(path, place));
  const open = files
    .filter(({ name, content }) => content !== '' && home !== undefined && isFree(`${home}/${name}`))
    .map(({ name, content }) => {
      const file = held.get(content) ?? keepAnonymous(Buffer.from(content, 'latin1'));
      held.set(content, file);
      return { path: `${home}/${name}`, ...openAnonymous(file) };
    });
  return Object.assign(open, {
    [Symbol.dispose]: () => {
      for (const file of open) file[Symbol.dispose]();
    },
  });
}
