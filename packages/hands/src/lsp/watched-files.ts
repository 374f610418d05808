import { basename } from 'node:path';
import type { FoundEntry } from '../search/file-search.ts';
import { compileGlobs } from '../search/glob.ts';
import type { FileEvent } from './language-server.ts';
import type { ServerRow } from './server-table.ts';

/** What changed on the disk since it was last looked at. */
export interface DiskChanges {
  readonly events: readonly FileEvent[];
  /** Whether a file changed that says what the project is made of: then a server is better begun anew. */
  readonly restart: boolean;
}

/** The newest files are looked at: what changed is among them. */
export const MAX_WATCHED = 2_000;

/** Globs of the files whose change can change what a server says. */
export function watchedGlobs({ languages, manifests }: ServerRow): string[] {
  return [`**/*.{${Object.keys(languages).join(',')},json}`, ...manifests.map((name) => `**/${name}`)];
}

/**
 * Remembers files as they were, and tells what changed since: no server watches them here, and one that is not told
 * answers from memory. A file that was deleted is missed where more than {@link MAX_WATCHED} are newer.
 */
export class WatchedFiles {
  readonly #isManifest: (path: string) => boolean;
  #known = new Map<string, string>();

  constructor({ manifests }: ServerRow) {
    const names = manifests.length === 0 ? undefined : compileGlobs(manifests.map((name) => `**/${name}`));
    this.#isManifest = (path) => names?.matches([basename(path)]) === true;
  }

  /** Compares with the last time. Of the first time nothing is told: a server that begins reads the disk. */
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

  /** Whether a file is among them that says what the project is made of. */
  wantsRestart(events: readonly FileEvent[]): boolean {
    return events.some(({ path }) => this.#isManifest(path));
  }
}
