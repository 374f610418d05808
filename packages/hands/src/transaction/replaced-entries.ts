import { existsSync, readFileSync, renameSync, writeFileSync, type BigIntStats } from 'node:fs';
import * as z from 'zod';
import { isDiskFull } from '../workspace/file-error.ts';
import { inodeOf, loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
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

/** The folders around an entry, by {@link bytePath}. */
function foldersAround(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether an inode is an earlier one, or what an undo put in its place. */
type IsSame = (inode: string, found: string) => boolean;

/**
 * Which entries of the workspace the changes of a command replace, as they were when it ended. Their ctime does not tell that: the files of a
 * folder that is moved to their place later keep an earlier one.
 */
export class ReplacedEntries {
  readonly #inodes: ReadonlyMap<string, string | null>;
  /** The paths of entries that the workspace had, and of the folders around them. */
  readonly #had = new Set<string>();

  private constructor(inodes: ReadonlyMap<string, string | null>) {
    this.#inodes = inodes;
    for (const [path, inode] of inodes) {
      if (inode === null) continue;
      this.#had.add(path);
      for (const folder of foldersAround(path)) this.#had.add(folder);
    }
  }

  static of(changes: readonly PlannedEntry[]): ReplacedEntries {
    return new ReplacedEntries(new Map(changes.map(({ location, before }) => [bytePath(location), identity(before)])));
  }

  /** Writes them for {@link read}. On a full disk, the ctime of an entry has to tell whether it is another one. */
  static write(file: string, changes: readonly PlannedEntry[]): void {
    const lines = changes.map(({ location, before }) => JSON.stringify([storePath(location), identity(before)]));
    try {
      writeFileSync(`${file}.new`, lines.join('\n'), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  /** Knows nothing of changes that an earlier version kept. */
  static read(file: string): ReplacedEntries {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return new ReplacedEntries(new Map(lines.flatMap(parseLine).map(([path, inode]) => [bytePath(loadPath(path)), inode])));
  }

  /** Whether the workspace has another entry at a place than it had then, one where it had none, or none where it had one. */
  isOther(location: WorkspacePath, stat: BigIntStats | undefined, isSame: IsSame): boolean {
    const path = bytePath(location);
    if (stat === undefined) return this.#had.has(path);
    const inode = this.#inodes.get(path);
    // In a folder that the workspace did not have.
    if (inode === undefined) return foldersAround(path).some((folder) => this.#inodes.get(folder) === null);
    return inode === null || !isSame(inode, inodeOf(stat));
  }
}
