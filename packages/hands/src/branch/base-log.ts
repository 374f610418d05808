import { hash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  type BigIntStats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { BlobStore } from '../journal/blob-store.ts';
import { indexMeaning, isIndexPath } from '../journal/git-index.ts';
import { look } from '../journal/swap-entry.ts';
import { inodeOf, loadPath, placesOf, StoredPath, storePath, type Step } from '../workspace/changes/step.ts';
import { joinNames } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { kernelTime } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { isMissing } from '../workspace/target.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { basesFolder as folderIn } from './bases-folder.ts';
import { BranchFolder } from './branch-folder.ts';
import { BASE, ON_BRANCH, USED } from './branch-state.ts';
import { CloneManifest } from './clone-manifest.ts';

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
});
type Line = z.infer<typeof Line>;

/** What is known of one entry. */
export interface KnownBase {
  readonly since: bigint;
  /** Null if it is not known, or if {@link wasMissing}. */
  readonly image: BaseImage | null;
  /** Whether there was no entry. What is in a folder that did not exist was missing, too. */
  readonly wasMissing: boolean;
  /** Whether {@link image} is a part of what the branch changed, which the workspace got then: it had another version before. */
  readonly isPart: boolean;
}

/** The inode of an entry that is known by its content alone. */
export const NO_INODE = '';

const logIn = (state: string): string => join(folderIn(state), 'log');
const contentsIn = (state: string): BlobStore => new BlobStore(join(folderIn(state), 'content'));

function append(state: string, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  mkdirSync(folderIn(state), { recursive: true, mode: 0o700 });
  // A line break before too: a kill may have left half a line.
  appendFileSync(logIn(state), `\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`, { mode: 0o600 });
}

function* linesIn(state: string): Generator<Line> {
  let text: string;
  try {
    text = readFileSync(logIn(state), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  for (const line of text.split('\n')) {
    try {
      yield Line.parse(JSON.parse(line));
    } catch (error) {
      // Empty, or cut by a kill: then its change did not happen.
      if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    }
  }
}

/** What the workspace had when a branch first changed its entries, as far as its own journal saw it. */
export class Bases {
  readonly #known = new Map<string, KnownBase>();
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
    for (const { path, at, base } of linesIn(state)) {
      const key = bytePath(loadPath(path));
      // The first one counts, up to the next time that the entry was applied.
      if (base === null) for (const below of this.#below(key)) this.#known.delete(below);
      const known = this.#known.get(key);
      if (base !== null && known !== undefined && (known.image !== null || known.wasMissing)) continue;
      const image = base === NOTHING ? null : base;
      this.#known.set(key, { since: BigInt(at), image, wasMissing: base === NOTHING, isPart: image?.inode === NO_INODE });
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
    return { since: this.#startedAt, image: null, wasMissing: false, isPart: false };
  }

  /** Whether the workspace had an entry, or something in it, when the branch first changed that. */
  had(location: WorkspacePath): boolean {
    if (this.#manifest?.get(location) !== undefined) return true;
    return this.#below(bytePath(location)).some((path) => (this.#known.get(path)?.image ?? null) !== null);
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
    append(
      state,
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
    append(state, [
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
   */
  static partly(
    state: string,
    location: WorkspacePath,
    { at, mode, content }: { readonly at: string; readonly mode: number; readonly content: string },
  ): void {
    const path = storePath(location);
    append(state, [
      { path, at, base: null },
      { path, at, base: { type: 'file', mode, inode: NO_INODE, changed: '', content } },
    ]);
  }

  /** Notes that the branch has the version of the workspace of some entries again. @param at from which time on changes of it are not in the branch */
  static applied(state: string, entries: ReadonlyArray<{ readonly location: WorkspacePath; readonly at: bigint }>): void {
    append(
      state,
      entries.map(({ location, at }) => ({ path: storePath(location), at: String(at), base: null })),
    );
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

/** Notes in a branch what the workspace has, before the branch first changes it. */
export class BaseRecorder implements Disposable {
  readonly #state: string;
  readonly #branch: Confinement;
  readonly #workspace: HandleConfinement;
  /** What the branch itself has, if it is based on another one. */
  readonly #own: string | undefined;
  /** What the branch had when it was made, if it is a clone. */
  readonly #manifest: CloneManifest | undefined;
  readonly #seen = new Set<string>();
  readonly #contents: BlobStore;

  /** @param branch the workspace as the branch shows it */
  constructor(state: string, branch: Confinement) {
    this.#state = state;
    this.#branch = branch;
    this.#workspace = new HandleConfinement(join(state, BASE));
    const folder = new BranchFolder(join(state, dirname(readlinkSync(join(state, USED)))));
    this.#manifest = CloneManifest.of(folder);
    if (existsSync(join(state, ON_BRANCH))) this.#own = folder.upper;
    this.#contents = contentsIn(state);
  }

  [Symbol.dispose](): void {
    this.#workspace[Symbol.dispose]();
  }

  /** Called before steps are done. */
  note(steps: readonly Step[]): void {
    const isNew = (step: Step): boolean => step.kind === 'set' && step.before === null;
    const wanted = steps.flatMap((step) => (isNew(step) ? [] : placesOf(step).slice(0, 1)));
    const fresh = wanted.flatMap((location) => [...this.#unseen(location)]);
    const made = steps.flatMap((step) => placesOf(step).slice(isNew(step) ? 0 : 1)).filter((location) => this.#isMissing(location));
    if (fresh.length === 0 && made.length === 0) return;
    mkdirSync(join(folderIn(this.#state), 'content'), { recursive: true, mode: 0o700 });
    const at = kernelTime(folderIn(this.#state));
    append(this.#state, [
      ...fresh.flatMap((location) => {
        const found = this.#image(location);
        if (found === undefined) return [];
        if (found.bytes !== undefined) this.#contents.keep(found.bytes);
        return [{ path: storePath(location), at: String(at), base: found.base }];
      }),
      ...made.map((location) => ({ path: storePath(location), at: String(at), base: NOTHING }) as const),
    ]);
  }

  /** Whether neither the workspace nor the branch has an entry yet, and nothing is noted of it. */
  #isMissing(location: WorkspacePath): boolean {
    const key = bytePath(location);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return isMissingIn(this.#workspace, location) && (this.#own === undefined || !isIn(this.#own, location));
  }

  /** The entry, and the folders around it, whose permissions a copy has too. */
  *#unseen(location: WorkspacePath): Generator<WorkspacePath> {
    for (let length = location.length; length > 0; length -= 1) {
      const part = location.slice(0, length);
      const key = bytePath(part);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      yield part;
    }
  }

  /** Whether a clone has an entry as it was copied. */
  #isCopy(shown: PinnedDirectory, location: WorkspacePath): boolean {
    const stat = look(shown.at(location.at(-1) ?? ''));
    return stat !== undefined && this.#manifest?.isUnchanged(location, stat) === true;
  }

  /** The entry of the workspace; undefined if the branch shows another one, which something else changed in it before. */
  #image(location: WorkspacePath): ReadBase | undefined {
    try {
      using shown = this.#branch.openDirectory(location.slice(0, -1));
      if (this.#manifest !== undefined) return this.#isCopy(shown, location) ? imageIn(shown, location) : undefined;
      if (this.#own !== undefined) return isIn(this.#own, location) ? undefined : imageIn(shown, location);
      using below = this.#workspace.openDirectory(location.slice(0, -1));
      const [own, stat] = [shown, below].map((folder) => look(folder.at(location.at(-1) ?? '')));
      // A copy has a ctime of its own.
      if (stat === undefined || own?.ctimeNs !== stat.ctimeNs || own.size !== stat.size || own.mtimeNs !== stat.mtimeNs) return undefined;
      return imageIn(below, location);
    } catch (error) {
      // Gone, or closed to this user: then it is not known.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }
}

/** An entry of the workspace, and the content of a file if a merge can use it. */
export interface ReadBase {
  readonly base: BaseImage;
  readonly bytes?: Buffer | undefined;
}

/** Whether a layer has a version of an entry. Without the layer, that is not known. */
function isIn(layer: string, location: WorkspacePath): boolean {
  return look(layer) === undefined || look(joinNames(layer, location)) !== undefined;
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
