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

/** Opens files for a command to inherit. Skips empty files, and all files if there is no private home folder. */
export function openHomeFiles(home: string | undefined, files: readonly HomeFile[]): OpenHomeFile[] & Disposable {
  const open = files
    .filter(({ content }) => content !== '' && home !== undefined)
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
