import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { BlobStore } from '../journal/blob-store.ts';
import { indexMeaning, isIndexPath } from '../journal/git-index.ts';
import { look } from '../journal/swap-entry.ts';
import { inodeOf, loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isMissing } from '../workspace/target.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { basesFolder as folderIn } from './bases-folder.ts';
import type { CloneManifest } from './clone-manifest.ts';
import { lineLog, type LineLog } from './line-log.ts';

/** Maximum bytes of a file whose content is kept for a merge. Larger ones are no sources. */
export const MAX_MERGED_BYTES = 2 * 1024 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What the workspace, with the branches that a branch is based on, had when the branch first changed an entry. */
const BaseImage = z.object({
  type: z.enum(['file', 'link', 'folder', 'other']),
  mode: z.int(),
  inode: z.string(),
  /** Its ctime, in nanoseconds. */
  changed: z.string(),
  /** Identifies the content of a file, or the target of a link; null if it is too large to be kept. */
  content: z.string().nullable(),
});
export type BaseImage = z.infer<typeof BaseImage>;
/** Stored in place of an image: there was no entry. */
const NOTHING = 'nothing';

const Line = z.object({
  path: StoredPath,
  /** Changes of the workspace from this time on, in nanoseconds, are not in the branch. */
  at: z.string(),
  /** Null if the branch has not changed it since {@link at}: it was applied. */
  base: z.union([BaseImage, z.literal(NOTHING)]).nullable(),
  /** The content that the workspace had, if {@link base} is a part of what the branch changed, which it got in its place. */
  over: z.string().optional(),
});
/** A folder that a branch below brought, by its inode. */
const BroughtFolder = z.object({ path: StoredPath, brought: z.string() });
const AnyLine = z.union([Line, BroughtFolder]);
type AnyLine = z.infer<typeof AnyLine>;

/** What is known of one entry. */
export interface KnownBase {
  readonly since: bigint;
  /** Null if it is not known, or if {@link wasMissing}. */
  readonly image: BaseImage | null;
  /** Whether there was no entry. What is in a folder that did not exist was missing, too. */
  readonly wasMissing: boolean;
  /** If {@link image} is a part of what the branch changed, which the workspace got: the contents that it had before, up to the first part. */
  readonly replaced: readonly string[] | undefined;
}

/** The inode of an entry that is known by its content alone. */
export const NO_INODE = '';

const logIn = (state: string): LineLog<AnyLine> => lineLog(join(folderIn(state), 'log'), AnyLine);
const contentsIn = (state: string): BlobStore => new BlobStore(join(folderIn(state), 'content'));

/** What the workspace had when a branch first changed its entries, as far as its own journal saw it. */
export class Bases {
  readonly #known = new Map<string, KnownBase>();
  readonly #brought = new Map<string, string>();
  readonly #state: string;
  readonly #startedAt: bigint;
  readonly #manifest: CloneManifest | undefined;

  /**
   * @param state the state folder of the branch
   * @param startedAt when the branch was made
   * @param manifest what the branch had then, if it is a clone
   */
  constructor(state: string, startedAt: bigint, manifest?: CloneManifest) {
    this.#state = state;
    this.#startedAt = startedAt;
    this.#manifest = manifest;
    for (const line of logIn(state).read()) {
      const key = bytePath(loadPath(line.path));
      if ('brought' in line) {
        this.#brought.set(key, line.brought);
        continue;
      }
      const { at, base, over } = line;
      // The first one counts, up to the next time that the entry was applied.
      if (base === null) for (const below of this.#below(key)) this.#known.delete(below);
      const known = this.#known.get(key);
      if (over === undefined && base !== null && known !== undefined && (known.image !== null || known.wasMissing)) continue;
      const image = base === NOTHING ? null : base;
      const replaced = over === undefined ? undefined : [...(known?.replaced ?? []), over];
      this.#known.set(key, { since: BigInt(at), image, wasMissing: base === NOTHING, replaced });
    }
  }

  #below(key: string): string[] {
    return [...this.#known.keys()].filter((path) => path === key || path.startsWith(`${key}/`));
  }

  /** What is known of an entry: at least a time from which changes of the workspace are not in the branch. */
  of(location: WorkspacePath): KnownBase {
    const known = this.#noted(location);
    if (this.#manifest === undefined) return known;
    const cloned = this.#manifest.get(location);
    if (cloned === undefined) return { ...known, wasMissing: known.image === null };
    // Which entry it is, the manifest knows better: it has it of all, also of those that nothing noted.
    const { type, mode, inode, changed, content } = cloned;
    const image = { type, mode: known.image?.mode ?? mode, inode, changed, content: known.image?.content ?? content };
    return { ...known, image, wasMissing: false };
  }

  #noted(location: WorkspacePath): KnownBase {
    for (let length = location.length; length > 0; length -= 1) {
      const known = this.#known.get(bytePath(location.slice(0, length)));
      if (known === undefined) continue;
      if (length === location.length) return known;
      // A folder that was applied as a whole, or that did not exist.
      if (known.image === null) return known;
    }
    return { since: this.#startedAt, image: null, wasMissing: false, replaced: undefined };
  }

  /** Whether the workspace had an entry, or something in it, when the branch first changed that. */
  had(location: WorkspacePath): boolean {
    if (this.#manifest?.get(location) !== undefined) return true;
    return this.#below(bytePath(location)).some((path) => (this.#known.get(path)?.image ?? null) !== null);
  }

  /** Whether a folder is the one that an applied branch below brought: what it contains has the times of before. */
  isBrought(location: WorkspacePath, stat: BigIntStats): boolean {
    return this.#brought.get(bytePath(location)) === inodeOf(stat);
  }

  /** The content of a base; undefined if it is not kept. */
  content({ content }: BaseImage): Buffer | undefined {
    return content === null ? undefined : contentsIn(this.#state).read(content);
  }

  /**
   * Notes entries that are about to be replaced, and folders whose permissions are. If that is killed and taken back, the time of an entry says no
   * more that it did not change.
   *
   * @param entries with the time from which on the workspace did not change them
   */
  static replaced(state: string, entries: readonly { readonly location: WorkspacePath; readonly stat: BigIntStats; readonly since: bigint }[]): void {
    logIn(state).append(
      entries.map(({ location, stat, since }) => ({
        path: storePath(location),
        at: String(since),
        base: { ...factsOf(stat), type: typeOf(stat), content: null },
      })),
    );
  }

  /**
   * Notes what the workspace had of entries that the branch has changed since.
   *
   * @param at a time from before that. Earlier notes count more
   * @param missing entries that it did not have
   */
  static seen(
    state: string,
    at: bigint,
    found: ReadonlyArray<ReadBase & { readonly location: WorkspacePath }>,
    missing: readonly WorkspacePath[] = [],
  ): void {
    for (const { bytes } of found) if (bytes !== undefined) Bases.keep(state, bytes);
    logIn(state).append([
      ...found.map(({ location, base }) => ({ path: storePath(location), at: String(at), base })),
      ...missing.map((location) => ({ path: storePath(location), at: String(at), base: NOTHING }) as const),
    ]);
  }

  /** Keeps a content for a {@link partly}. Returns its SHA-256. */
  static keep(state: string, bytes: Buffer): string {
    mkdirSync(join(folderIn(state), 'content'), { recursive: true, mode: 0o700 });
    return contentsIn(state).keep(bytes);
  }

  /**
   * Notes that the workspace has a part of what the branch changed in a file: from now on, the branch differs from that.
   *
   * @param at a time from before the workspace got it. Its content tells whether that was changed since
   * @param over the content that the workspace had
   */
  static partly(
    state: string,
    location: WorkspacePath,
    { at, mode, content, over }: { readonly at: string; readonly mode: number; readonly content: string; readonly over: string },
  ): void {
    logIn(state).append([{ path: storePath(location), at, base: { type: 'file', mode, inode: NO_INODE, changed: '', content }, over }]);
  }

  /** Notes folders that a branch below brought to the workspace. */
  static brought(state: string, folders: ReadonlyArray<{ readonly location: WorkspacePath; readonly stat: BigIntStats }>): void {
    logIn(state).append(folders.map(({ location, stat }) => ({ path: storePath(location), brought: inodeOf(stat) })));
  }

  /** Notes that the branch has the version of the workspace of some entries again. @param at from which time on changes of it are not in the branch */
  static applied(state: string, entries: ReadonlyArray<{ readonly location: WorkspacePath; readonly at: bigint }>): void {
    logIn(state).append(entries.map(({ location, at }) => ({ path: storePath(location), at: String(at), base: null })));
  }
}

/** The content of a file: what identifies it, null if it is large; and its bytes, if a merge can use them. */
export interface ReadContent {
  readonly content: string | null;
  readonly bytes?: Buffer;
}

/** Reads the content of a file in a folder, unless it is large; undefined if it changed while it was read. */
export function contentAt(folder: PinnedDirectory, name: WorkspacePath[number], location: WorkspacePath, stat: BigIntStats): ReadContent | undefined {
  if (isIndexPath(location)) {
    const meaning = indexMeaning(folder.at(name));
    if (meaning !== undefined) return { content: `index ${meaning}` };
  }
  if (stat.size > MAX_MERGED_BYTES) return { content: null };
  const fd = openSync(folder.at(name), READ);
  try {
    const bytes = readFileSync(fd);
    const after = fstatSync(fd, { bigint: true });
    if (after.ino !== stat.ino || after.ctimeNs !== stat.ctimeNs) return undefined;
    return { content: hash('sha256', bytes), bytes };
  } finally {
    closeSync(fd);
  }
}

/** An entry of the workspace, and the content of a file if a merge can use it. */
export interface ReadBase {
  readonly base: BaseImage;
  readonly bytes?: Buffer | undefined;
}

/** Whether the workspace has no entry at a place. */
export function isMissingIn(workspace: Confinement, location: WorkspacePath): boolean {
  try {
    using folder = workspace.openDirectory(location.slice(0, -1));
    return look(folder.at(location.at(-1) ?? '')) === undefined;
  } catch (error) {
    // It is not known of what is closed to this user, or behind a link.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return isMissing(error);
  }
}

const factsOf = (stat: BigIntStats) => ({ mode: Number(stat.mode) & 0o7777, inode: inodeOf(stat), changed: String(stat.ctimeNs) });

function typeOf(stat: BigIntStats): BaseImage['type'] {
  if (stat.isDirectory()) return 'folder';
  if (stat.isSymbolicLink()) return 'link';
  return stat.isFile() ? 'file' : 'other';
}

/** The entry in a folder; undefined if there is none, or if it changes right now. */
export function imageIn(folder: PinnedDirectory, location: WorkspacePath): ReadBase | undefined {
  const name = location.at(-1) ?? '';
  const stat = look(folder.at(name));
  if (stat === undefined) return undefined;
  const known = factsOf(stat);
  if (stat.isDirectory()) return { base: { ...known, type: 'folder', content: null } };
  if (stat.isSymbolicLink()) return { base: { ...known, type: 'link', content: readlinkSync(folder.at(name), 'latin1') } };
  if (!stat.isFile()) return { base: { ...known, type: 'other', content: null } };
  const read = contentAt(folder, name, location, stat);
  return { base: { ...known, type: 'file', content: read?.content ?? null }, bytes: read?.bytes };
}
