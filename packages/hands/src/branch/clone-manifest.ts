import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync, type BigIntStats } from 'node:fs';
import { ENTRY_TYPES, knownEntry, ownIdentity, type KnownEntry } from '../transaction/clone-changes.ts';
import { inodeOf } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { BranchFolder } from './branch-folder.ts';

/** One entry of a clone, as it was when it was copied. */
export interface ClonedEntry extends KnownEntry {
  /** The entry of the workspace. Empty if it is not known which one was copied, because it changed meanwhile. */
  readonly inode: string;
  /** Its ctime, in nanoseconds. */
  readonly changed: string;
  /** The content of a file, where the entry of the workspace is not known; null otherwise. */
  readonly content: string | null;
}

export const sourceFacts = (stat: BigIntStats): Pick<ClonedEntry, 'inode' | 'changed'> => ({ inode: inodeOf(stat), changed: String(stat.ctimeNs) });

/** An entry of a clone as it is now. `source`: the entry that it is a copy of, if that is known. */
export function clonedEntry(
  own: BigIntStats,
  source: Pick<ClonedEntry, 'inode' | 'changed'> | undefined,
  content: string | null = null,
): ClonedEntry {
  const { inode, changed } = source ?? { inode: '', changed: '0' };
  return { ...knownEntry(own), inode, changed, content };
}

const GONE = '-';
const FIELDS = 7;

const lineOf = (key: string, { type, mode, inode, changed, own, content }: ClonedEntry): string =>
  [type, String(mode), inode, changed, own, content ?? '', JSON.stringify(key)].join('\t');

const goneLine = (key: string): string => [GONE, ...Array.from({ length: FIELDS - 2 }, () => ''), JSON.stringify(key)].join('\t');

/** The key that a line ends with; undefined if a kill left half of it: then its entry counts as changed. */
function keyOf(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : String(JSON.parse(name));
  } catch {
    return undefined;
  }
}

/** What a clone had when it was made, by the keys of {@link bytePath}. */
export class CloneManifest {
  readonly entries = new Map<string, ClonedEntry>();
  readonly #path: string;
  /** Number of lines of the file. Later ones replace earlier ones. */
  #lines = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** The manifest of a branch; undefined if the branch is no clone. */
  static of(folder: BranchFolder): CloneManifest | undefined {
    return existsSync(folder.clone) ? CloneManifest.read(folder.manifest) : undefined;
  }

  static read(path: string): CloneManifest {
    const manifest = new CloneManifest(path);
    const gone = new Set<string>();
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const [word = '', mode = '', inode = '', changed = '', own = '', content = '', name, ...more] = line.split('\t');
      const key = more.length > 0 ? undefined : keyOf(name);
      if (key === undefined) continue;
      manifest.#lines += 1;
      const type = ENTRY_TYPES.find((one) => one === word);
      if (word === GONE) gone.add(key);
      else if (type !== undefined) {
        manifest.#forget(gone);
        gone.clear();
        manifest.entries.set(key, { type, mode: Number(mode), inode, changed, own, content: content === '' ? null : content });
      }
    }
    manifest.#forget(gone);
    return manifest;
  }

  static write(path: string, entries: ReadonlyMap<string, ClonedEntry>): void {
    writeFileSync(`${path}.new`, `${[...entries].map(([key, entry]) => lineOf(key, entry)).join('\n')}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  /** Notes entries that were copied anew; null for those that are gone. */
  add(changes: ReadonlyMap<string, ClonedEntry | null>): void {
    // First what is gone: what is gone one after another is forgotten together.
    const gone = new Set([...changes].flatMap(([key, entry]) => (entry === null ? [key] : [])));
    const added = [...changes].flatMap(([key, entry]) => (entry === null ? [] : [[key, entry] as const]));
    this.#forget(gone);
    for (const [key, entry] of added) this.entries.set(key, entry);
    this.#lines += changes.size;
    if (this.#lines > 2 * this.entries.size) {
      CloneManifest.write(this.#path, this.entries);
      this.#lines = this.entries.size;
      return;
    }
    const lines = [...[...gone].map(goneLine), ...added.map(([key, entry]) => lineOf(key, entry))];
    appendFileSync(this.#path, `\n${lines.join('\n')}\n`);
  }

  get(location: WorkspacePath): ClonedEntry | undefined {
    return this.entries.get(bytePath(location));
  }

  /** Whether an entry of the clone is as it was copied. */
  isUnchanged(location: WorkspacePath, own: BigIntStats): boolean {
    return this.get(location)?.own === ownIdentity(own);
  }

  /** Forgets entries, with everything in them. */
  #forget(gone: ReadonlySet<string>): void {
    if (gone.size === 0) return;
    const isGone = (path: string): boolean => {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) if (gone.has(path.slice(0, end))) return true;
      return false;
    };
    for (const path of this.entries.keys()) if (isGone(path)) this.entries.delete(path);
  }
}
