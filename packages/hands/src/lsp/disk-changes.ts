import { isUtf8 } from 'node:buffer';
import type { FoundEntry } from '../search/file-search.ts';
import { compileGlobs } from '../search/glob.ts';
import type { ChangeFeed, FileChange } from '../workspace-index/change-feed.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import type { FileEvent } from './language-server.ts';
import type { ServerRow } from './server-table.ts';
import { watchedGlobs, WatchedFiles, type DiskChanges } from './watched-files.ts';

/** The protocol's numbers. */
const TYPES: Readonly<Record<FileChange, FileEvent['type']>> = { created: 1, changed: 2, deleted: 3 };

/** Decodes a path; undefined if it is not UTF-8, which language servers cannot read. */
function textOf(path: string): string | undefined {
  const bytes = Buffer.from(path, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/**
 * Reports the changes on disk since the last request. Uses the index of the workspace, which knows every change. If
 * folders cannot be watched, compares the newest files instead.
 */
export class DiskChangeSource {
  readonly #watched: WatchedFiles;
  readonly #folders: FolderIndex | undefined;
  readonly #feed: ChangeFeed | undefined;

  constructor(row: ServerRow, folders: FolderIndex | undefined) {
    const filter = compileGlobs(watchedGlobs(row));
    this.#watched = new WatchedFiles(row);
    this.#folders = folders;
    this.#feed = folders?.follow((path) => !path.startsWith('.git/') && filter.matches(path.split('/')));
  }

  /** @param look lists the newest files; called only if needed */
  async next(look: () => Promise<readonly FoundEntry[]>): Promise<DiskChanges> {
    const folders = this.#folders;
    if (this.#feed === undefined || folders === undefined || folders.mode?.kind === 'walked') return this.#watched.update(await look());
    await folders.refresh();
    // Only now is it known whether folders can be watched.
    if (folders.mode?.kind !== 'watched') return this.#watched.update(await look());
    const { files, all } = this.#feed.take();
    // A restarted server reads the disk.
    if (all) return { events: [], restart: true };
    const events = [...files].flatMap(([path, change]): FileEvent[] => {
      const text = textOf(path);
      return text === undefined ? [] : [{ path: text, type: TYPES[change] }];
    });
    return { events, restart: this.#watched.wantsRestart(events) };
  }
}
