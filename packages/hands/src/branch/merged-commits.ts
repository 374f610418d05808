import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { blobOf } from '../git-format/blob-name.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { MAX_MERGED_BYTES } from './base-log.ts';
import type { Version } from './decide-file.ts';
import type { BroughtTip } from './brought-log.ts';
import type { CommitStore, CommittedFile } from '../transaction/commit-store.ts';
import { openSides, type RepositorySides, type SidesParts } from './repository-sides.ts';

/** A file as both sides had it in a commit: null if it did not exist. */
export interface CommittedBase {
  readonly content: string | null;
  readonly bytes: Buffer | undefined;
  /** Undefined if that is not known. */
  readonly isExecutable: boolean | undefined;
}

/** Files with their objects. */
type Changed = ReadonlyMap<string, string>;

/** What git knows of one repository. */
interface Merged {
  readonly sides: RepositorySides;
  /** What the branch had changed when it last brought its commits. */
  readonly brought: Changed;
  /** The newest commit that both sides have; undefined if there is none. */
  readonly common: string | undefined;
  /** The files of all that was brought, as far as {@link common} has it. */
  readonly merged: ReadonlySet<string>;
  /** The files that the workspace changed in its commits after {@link common}. */
  readonly theirs: Changed;
}

const NONE: Changed = new Map();

/** What a commit changed since it left the history of another one. */
async function changedIn(store: CommitStore, commit: string, head: string | null): Promise<Changed> {
  const from = head === null ? undefined : await store.mergeBase(commit, head);
  return from === undefined ? NONE : await store.changedBetween(from, commit);
}

/** The files of what was brought, up to a commit. */
async function mergedUpTo(store: CommitStore, commit: string, brought: readonly BroughtTip[]): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const { tip, head } of brought) {
    const end = (await store.isAncestor(tip, commit)) ? tip : (await store.isAncestor(commit, tip)) ? commit : undefined;
    if (end !== undefined) for (const file of (await changedIn(store, end, head)).keys()) files.add(file);
  }
  return files;
}

const NO_OBJECT = /^0+$/u;

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
    const { sides, brought, merged, path } = found;
    const object = brought.get(path) ?? '';
    if (workspace === null ? NO_OBJECT.test(object) : object === blobOf(workspace, sides.tip.length)) return baseOf(workspace, undefined);
    if (!merged.has(path)) return undefined;
    const committed = await inCommon(found);
    return committed === undefined ? undefined : baseOf(committed?.bytes ?? null, committed?.isExecutable);
  }

  /**
   * Whether a branch only has an older commit's version of an entry that commits of the workspace changed since, as after `git reset --hard` or
   * `git clean`: the files that a branch did not change are those of the workspace, so git there takes what others committed for changes.
   *
   * @param branch reads what the branch has: null if nothing, undefined if that is not known
   */
  async isOlder(location: WorkspacePath, branch: () => CommittedFile | null | undefined): Promise<boolean> {
    const found = await this.#around(location);
    if (found === undefined || !(found.theirs.has(found.path) || (branch() === null && isFolderIn(found.theirs, found.path)))) return false;
    const [own, committed] = [branch(), await inCommon(found)];
    if (committed === undefined || own === undefined) return false;
    if (committed === null || own === null) return committed === own;
    return committed.bytes.equals(own.bytes) && committed.isExecutable === own.isExecutable;
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
      const tips = this.#brought.get(bytePath(repository)) ?? [];
      const last = tips.at(-1);
      const brought = last === undefined ? NONE : await changedIn(store, last.tip, last.head);
      const common = head === undefined ? undefined : await store.mergeBase(tip, head);
      if (head === undefined || common === undefined) return { sides, brought, common, merged: new Set(), theirs: NONE };
      const merged = await mergedUpTo(store, common, tips);
      return { sides, brought, common, merged, theirs: await store.changedBetween(common, head) };
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      // Something is not as a repository has it: then it says nothing of its files.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }
}

/** A file in the newest commit that both sides have: null if there is none, undefined if that is not known. */
async function inCommon({ sides, common, path }: Merged & { readonly path: string }): Promise<CommittedFile | null | undefined> {
  return common === undefined ? undefined : await sides.store.fileAt(common, path, MAX_MERGED_BYTES);
}

const isFolderIn = (files: Changed, path: string): boolean => [...files.keys()].some((file) => file.startsWith(`${path}/`));

const baseOf = (bytes: Buffer | null, isExecutable: boolean | undefined): CommittedBase => ({
  content: bytes === null ? null : hash('sha256', bytes),
  bytes: bytes ?? undefined,
  isExecutable,
});

const EXECUTE = 0o111;
/** What no file has. */
const UNKNOWN_MODE = -1;
/** Whether permissions make a file a program. */
export const isProgram = (mode: number): boolean => (mode & EXECUTE) !== 0;

/**
 * A file of a commit as a version. Git knows whether a file is a program. All else of its permissions is that of a side that agrees in this, which
 * then has not changed them.
 *
 * @param mode the permissions from before the commit, if they are known
 */
export function committedVersion(base: CommittedBase, mode: number | undefined, branch: Version | null, workspace: Version | null): Version | null {
  if (base.content === null) return null;
  const modes = [branch, workspace].flatMap((side) => (side?.type === 'file' ? [side.mode] : []));
  const [first, ...others] = modes.map(isProgram);
  const ofBoth = others.every((one) => one === first) ? first : undefined;
  const wasProgram = base.isExecutable ?? (mode === undefined ? ofBoth : isProgram(mode));
  return { type: 'file', mode: modes.find((one) => isProgram(one) === wasProgram) ?? UNKNOWN_MODE, content: base.content };
}
