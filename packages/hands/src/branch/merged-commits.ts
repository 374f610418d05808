import { createHash, hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { joinNames } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import { MAX_MERGED_BYTES } from './base-log.ts';
import type { Version } from './decide-file.ts';
import type { BroughtTip } from './brought-log.ts';
import type { CommitStore } from './commit-store.ts';
import { openSides, type RepositorySides, type SidesParts } from './repository-sides.ts';

/** A file as both sides had it in a commit: null if it did not exist. */
export interface CommittedBase {
  readonly content: string | null;
  readonly bytes: Buffer | undefined;
}

type Versions = ReadonlyMap<string, ReadonlySet<string>>;

/** What git knows of one repository. */
interface Merged {
  readonly sides: RepositorySides;
  /** What files got in the commits that the branch brought. */
  readonly made: Versions;
  /** The newest commit that both sides have; undefined if there is none. */
  readonly common: string | undefined;
  /** The same for those of them that the workspace has merged, up to {@link common}. */
  readonly merged: Versions;
  /** The files that the workspace changed in its commits after {@link common}. */
  readonly theirs: ReadonlySet<string>;
}

/** The parts of what was brought that are in the history of a commit. */
async function upTo(store: CommitStore, commit: string, brought: readonly BroughtTip[]): Promise<Array<readonly [string, string | null]>> {
  const parts: Array<readonly [string, string | null]> = [];
  for (const { tip, head } of brought) {
    if (await store.isAncestor(tip, commit)) parts.push([tip, head]);
    else if (await store.isAncestor(commit, tip)) parts.push([commit, head]);
  }
  return parts;
}

const NONE: Versions = new Map();
const NO_OBJECT = /^0+$/u;

/** The name of the object that git makes of a content. */
function objectOf(bytes: Buffer, hashLength: number): string {
  const algorithm = hashLength === 40 ? 'sha1' : 'sha256';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * Files as commits of a branch have them that the workspace got with git: by a merge, or as another commit with the same content. From these, both
 * sides went on. What the workspace had when the branch first changed a file is older, and a merge with it would bring back what the branch took
 * away since.
 */
export class MergedCommits implements Disposable {
  readonly #parts: SidesParts;
  readonly #area: TransactionArea;
  readonly #brought: ReadonlyMap<string, readonly BroughtTip[]>;
  readonly #opened = new DisposableStack();
  readonly #known = new Map<string, Promise<Merged | undefined>>();

  /** @param brought the commits of the branch that came to the workspace: in all others, what a person committed may be older than the branch */
  constructor(parts: SidesParts, area: TransactionArea, brought: ReadonlyMap<string, readonly BroughtTip[]>) {
    this.#parts = parts;
    this.#area = area;
    this.#brought = brought;
  }

  [Symbol.dispose](): void {
    this.#opened.dispose();
  }

  /**
   * A file as both sides had it last; undefined if git knows of no such commit.
   *
   * @param workspace what the workspace has: null if nothing, undefined if that is not known
   */
  async of(location: WorkspacePath, workspace: Buffer | null | undefined): Promise<CommittedBase | undefined> {
    const found = await this.#around(location);
    if (found === undefined || workspace === undefined) return undefined;
    const { sides, made, merged, path } = found;
    const versions = made.get(path);
    if (workspace === null ? some(versions, NO_OBJECT) : versions?.has(objectOf(workspace, sides.tip.length)) === true) return baseOf(workspace);
    if (!merged.has(path)) return undefined;
    const committed = await inCommon(found);
    return committed === undefined ? undefined : baseOf(committed);
  }

  /**
   * Whether a branch only has an older commit's version of an entry that commits of the workspace changed since, as after `git reset --hard` or
   * `git clean`: the files that a branch did not change are those of the workspace, so git there takes what others committed for changes.
   *
   * @param branch reads what the branch has: null if nothing, undefined if that is not known
   */
  async isOlder(location: WorkspacePath, branch: () => Buffer | null | undefined): Promise<boolean> {
    const found = await this.#around(location);
    if (found === undefined || !(found.theirs.has(found.path) || (branch() === null && isFolderIn(found.theirs, found.path)))) return false;
    const committed = await inCommon(found);
    const own = branch();
    if (committed === undefined || own === undefined) return false;
    return committed === null || own === null ? committed === own : committed.equals(own);
  }

  async #around(location: WorkspacePath): Promise<(Merged & { readonly path: string }) | undefined> {
    const folder = this.#repositoryAround(location);
    const found = folder === undefined ? undefined : await this.#in(folder);
    return folder === undefined || found === undefined ? undefined : { ...found, path: bytePath(location.slice(folder.length)) };
  }

  /** The nearest folder around an entry with a repository that the branch changed. */
  #repositoryAround(location: WorkspacePath): WorkspacePath | undefined {
    for (let length = location.length - 1; length >= 0; length -= 1) {
      const folder = location.slice(0, length);
      if (this.#known.has(bytePath(folder))) return folder;
      const stat = lstatSync(joinNames(this.#area.upper, [...folder, '.git']), { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) return folder;
    }
    return undefined;
  }

  async #in(folder: WorkspacePath): Promise<Merged | undefined> {
    const key = bytePath(folder);
    const known = this.#known.get(key) ?? this.#open([...folder, '.git']);
    this.#known.set(key, known);
    return await known;
  }

  async #open(repository: WorkspacePath): Promise<Merged | undefined> {
    try {
      const sides = await openSides(this.#parts, this.#area, repository);
      if (sides === undefined) return undefined;
      this.#opened.use(sides);
      const { store, tip, head } = sides;
      const brought = this.#brought.get(bytePath(repository)) ?? [];
      const made = await store.versionsIn(brought.map((one) => [one.tip, one.head] as const));
      const common = head === undefined ? undefined : await store.mergeBase(tip, head);
      if (head === undefined || common === undefined) return { sides, made, common, merged: NONE, theirs: new Set() };
      const merged = await store.versionsIn(await upTo(store, common, brought));
      return { sides, made, common, merged, theirs: await store.changedBetween(common, head) };
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      // Something is not as a repository has it: then it says nothing of its files.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }
}

/** The content of a file in the newest commit that both sides have: null if there is none, undefined if that is not known. */
async function inCommon({ sides, common, path }: Merged & { readonly path: string }): Promise<Buffer | null | undefined> {
  if (common === undefined) return undefined;
  return await sides.store.contentAt(common, path, MAX_MERGED_BYTES);
}

const isFolderIn = (files: ReadonlySet<string>, path: string): boolean => [...files].some((file) => file.startsWith(`${path}/`));

const some = (objects: ReadonlySet<string> | undefined, pattern: RegExp): boolean => [...(objects ?? [])].some((object) => pattern.test(object));

const baseOf = (bytes: Buffer | null): CommittedBase => ({ content: bytes === null ? null : hash('sha256', bytes), bytes: bytes ?? undefined });

const EXECUTE = 0o111;

/** What no file has. */
const UNKNOWN_MODE = -1;

/**
 * A file of a commit as a version. Git knows whether a file is a program, and leaves all else of its permissions as it is.
 *
 * @param mode the permissions from before that, if they are known
 */
export function committedVersion(
  { content }: CommittedBase,
  mode: number | undefined,
  branch: Version | null,
  workspace: Version | null,
): Version | null {
  if (content === null) return null;
  if (mode !== undefined) return { type: 'file', mode, content };
  const [own, other] = [branch, workspace].map((side) => (side?.type === 'file' ? side.mode : UNKNOWN_MODE));
  const isSame = own !== undefined && other !== undefined && (own & EXECUTE) === (other & EXECUTE);
  return { type: 'file', mode: isSame ? own : UNKNOWN_MODE, content };
}
