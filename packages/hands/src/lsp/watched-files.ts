import { basename } from 'node:path';
import type { FoundEntry } from '../search/file-search.ts';
import { compileGlobs } from '../search/glob.ts';
import type { FileEvent } from './language-server.ts';
import type { ServerRow } from './server-table.ts';

/** Changes on disk since the last check. */
export interface DiskChanges {
  readonly events: readonly FileEvent[];
  /** Whether a project configuration file changed, so that the server should restart. */
  readonly restart: boolean;
}

/** Maximum number of files to compare. Only the newest ones are compared, because changed files are among them. */
export const MAX_WATCHED = 2_000;

/** Returns globs for the files that can affect a server's findings. */
export function watchedGlobs({ languages, manifests }: ServerRow): string[] {
  return [`**/*.{${Object.keys(languages).join(',')},json}`, ...manifests.map((name) => `**/${name}`)];
}

/**
 * Remembers the state of files and reports changes. Servers do not watch files here, and without notifications they
 * answer from memory. Misses a deleted file if the workspace has {@link MAX_WATCHED} files or more.
 */
export class WatchedFiles {
  readonly #isManifest: (path: string) => boolean;
  #known = new Map<string, string>();

  constructor({ manifests }: ServerRow) {
    const names = manifests.length === 0 ? undefined : compileGlobs(manifests.map((name) => `**/${name}`));
    this.#isManifest = (path) => names?.matches([basename(path)]) === true;
  }

  /** Compares with the last state. The first call reports all files as created; callers drop this, as a starting server reads the disk. */
  update(files: readonly FoundEntry[]): DiskChanges {
    const now = new Map(files.map(({ path, size, modified }) => [path, `${size}:${modified}`]));
    const events: FileEvent[] = [];
    for (const [path, stamp] of now) {
      const before = this.#known.get(path);
      if (before !== stamp) events.push({ path, type: before === undefined ? 1 : 2 });
    }
    if (files.length < MAX_WATCHED) for (const path of this.#known.keys()) if (!now.has(path)) events.push({ path, type: 3 });
    this.#known = now;
    return { events, restart: this.wantsRestart(events) };
  }

  /** Whether a project configuration file is among the changes. */
  wantsRestart(events: readonly FileEvent[]): boolean {
    return events.some(({ path }) => this.#isManifest(path));
  }
}
