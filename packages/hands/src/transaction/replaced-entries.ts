import { existsSync, readFileSync, renameSync, rmSync, writeFileSync, type BigIntStats } from 'node:fs';
import * as z from 'zod';
import { isDiskFull } from '../workspace/file-error.ts';
import { inodeOf, loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { PlannedEntry } from './planned-entry.ts';

/** An entry of the workspace, or null where it had none. */
const Line = z.tuple([StoredPath, z.string().nullable()]);

type Line = z.infer<typeof Line>;

const identity = (entry: BigIntStats | undefined): string | null => (entry === undefined ? null : inodeOf(entry));

function parseLine(text: string): Line[] {
  try {
    return [Line.parse(JSON.parse(text))];
  } catch (error) {
    // Cut by a loss of power: then the ctime of its entry has to tell.
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    return [];
  }
}

/** Whether an inode is an earlier one, or what an undo put in its place. */
type IsSame = (inode: string, found: string) => boolean;

/**
 * Which entries of the workspace the changes of a command replace, as they were when it ended. Their ctime does not tell that: the files of a
 * folder that is moved to their place later keep an earlier one.
 */
export class ReplacedEntries {
  readonly #inodes = new Map<string, string | null>();
  /** The paths of entries that the workspace had, and of the folders around them. */
  readonly #had = new Set<string>();

  private constructor(entries: Iterable<readonly [location: WorkspacePath, inode: string | null]>) {
    for (const [location, inode] of entries) {
      this.#inodes.set(bytePath(location), inode);
      if (inode !== null) for (const one of [...foldersAround(location), location]) this.#had.add(bytePath(one));
    }
  }

  static of(changes: readonly PlannedEntry[]): ReplacedEntries {
    return new ReplacedEntries(changes.map(({ location, before }) => [location, identity(before)]));
  }

  /** Writes them for {@link read}. On a full disk, the ctime of an entry has to tell whether it is another one. */
  static write(file: string, changes: readonly PlannedEntry[]): void {
    const lines = changes.map(({ location, before }) => JSON.stringify([storePath(location), identity(before)]));
    const temporary = `${file}.new`;
    try {
      writeFileSync(temporary, lines.join('\n'), { mode: 0o600 });
      renameSync(temporary, file);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // The record of the changes needs the space.
      rmSync(temporary, { force: true });
    }
  }

  /** Knows nothing of changes that an earlier version kept. */
  static read(file: string): ReplacedEntries {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return new ReplacedEntries(lines.flatMap(parseLine).map(([path, inode]) => [loadPath(path), inode]));
  }

  /** Whether the workspace has another entry at a place than it had then, one where it had none, or none where it had one. */
  isOther(location: WorkspacePath, stat: BigIntStats | undefined, isSame: IsSame): boolean {
    const path = bytePath(location);
    if (stat === undefined) return this.#had.has(path);
    const inode = this.#inodes.get(path);
    // In a folder that the workspace did not have.
    if (inode === undefined) return foldersAround(location).some((folder) => this.#inodes.get(bytePath(folder)) === null);
    return inode === null || !isSame(inode, inodeOf(stat));
  }
}
