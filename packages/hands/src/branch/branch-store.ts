import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { linkedWorktree } from '../sandbox/view/outside-repository.ts';
import { stateProblem, workspaceId } from '../state/state-folder.ts';
import { nearest } from '../text/nearest.ts';
import { prepareLayer } from '../transaction/transaction-area.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { BranchFolder } from './branch-folder.ts';
import { holderOf } from './holder-pipe.ts';
import { changesIn, countChanges } from './count-changes.ts';
import { assertBranchName, deletedSince, readRecord, writeRecord, type BranchRecord } from './branch-record.ts';
import { MAIN_STATE, makeState, ON_BRANCH, USED } from './branch-state.ts';

/** A branch of a workspace, on disk. */
export interface StoredBranch {
  readonly folder: BranchFolder;
  readonly record: BranchRecord;
}

/** Whether Synapse was ended while it applied a branch, or applies it now. */
export const isApplying = ({ folder }: StoredBranch): boolean => existsSync(folder.applying);

/** A copy of the files alone would commit to the repository of the real worktree. */
function inWorktree(): SynapseError {
  return new SynapseError('unavailable', 'A linked worktree cannot have branches: its repository is in another folder.', {
    hint: 'Make the branch in the main worktree, which git worktree list names first.',
  });
}

function isBase(name: string, child: string): SynapseError {
  return new SynapseError('conflict', `The branch ${child} is based on ${name}, so it cannot be deleted.`, {
    hint: `Apply or delete that one first: synapse branch drop ${child}`,
  });
}

function isFirst(name: string, child: string): SynapseError {
  return new SynapseError('conflict', `The branch ${child} is based on ${name}, whose changes are not applied.`, {
    hint: `Apply that one first: synapse branch apply ${name}`,
  });
}

function changedMeanwhile(name: string): SynapseError {
  return new SynapseError('conflict', `The branch ${name} changed meanwhile; nothing was deleted.`, {
    hint: `Look at it: synapse branch diff ${name}`,
    retryable: true,
  });
}

/** Folders that are no branches yet, or none any more, with the process that made them. */
const LEFT = /^\.(?:new|gone)-(\d+)-(\d*)-/u;

/** Whether a branch is not whole, and the process that made it and the one that holds it have ended. */
function isLeft(folder: BranchFolder): boolean {
  if (!existsSync(folder.making)) return false;
  try {
    return isRunning(readFileSync(folder.making, 'utf8')) !== true && isRunning(holderOf(folder)) !== true;
  } catch (error) {
    // It became whole, or was removed, at this moment.
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const owner = (): string => processIdentity().replace(' ', '-');

/** The branches of one workspace. */
export class BranchStore {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #folder: string;

  constructor(stateFolder: string, root: string) {
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#folder = join(stateFolder, 'branches', workspaceId(root));
  }

  /** All branches, by name, or those whose name is meant. */
  list(isMeant: (name: string) => boolean = () => true): StoredBranch[] {
    return this.#names()
      .filter(isMeant)
      .flatMap((name) => {
        try {
          return this.#read(name) ?? [];
        } catch (error) {
          // A damaged one must not take the others away.
          if (!isSynapseError(error)) throw error;
          return [];
        }
      });
  }

  /** The branches that were being applied when Synapse was ended, or are now. */
  applying(): StoredBranch[] {
    return this.#names().flatMap((name) => (existsSync(this.folderOf(name).applying) ? (this.#read(name) ?? []) : []));
  }

  /** The branches whose record cannot be read, by name. */
  damaged(): string[] {
    const good = new Set(this.list().map(({ record }) => record.name));
    return this.#names().filter((name) => existsSync(this.folderOf(name).record) && !existsSync(this.folderOf(name).making) && !good.has(name));
  }

  /** Whether a branch has this name. */
  has(name: string): boolean {
    assertBranchName(name);
    return this.#read(name) !== undefined;
  }

  /** @throws SynapseError `not_found` with the nearest names */
  get(name: string): StoredBranch {
    assertBranchName(name);
    const found = this.#read(name);
    if (found !== undefined) return found;
    const names = this.list().map(({ record }) => record.name);
    const near = nearest(name, names);
    const known = names.length === 0 ? `No branches exist yet: synapse branch new ${name}` : `The branches are ${names.slice(0, 20).join(', ')}.`;
    throw new SynapseError('not_found', `Branch not found: ${name}`, { hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : known });
  }

  /**
   * A branch as it is now.
   *
   * @throws SynapseError `not_found` if it was deleted since, also if there is a new one of its name
   */
  current({ record }: StoredBranch): StoredBranch {
    const found = this.get(record.name);
    if (found.record.audit === record.audit) return found;
    throw deletedSince(record.name);
  }

  /** A branch and those that it is based on, the nearest first. */
  chain(name: string): StoredBranch[] {
    const stored = this.get(name);
    const { from } = stored.record;
    return [stored, ...(from === null ? [] : this.chain(from))];
  }

  /** The branches that are based on one, directly or through others. */
  basedOn({ folder, record: { name } }: StoredBranch): StoredBranch[] {
    const names = existsSync(folder.based) ? readdirSync(folder.based).toSorted() : [];
    const direct = names.flatMap((child) => this.#read(child) ?? []).filter(({ record }) => record.from === name);
    return direct.flatMap((child) => [child, ...this.basedOn(child)]);
  }

  /**
   * The branch that is applied before another one, which is based on it; undefined if there is none with changes. What a branch makes of the one
   * that it is based on is nothing in the workspace, such as the deletion of a file of that one. Repositories are not asked about: where commits
   * were brought, the rest of one stays in its branch.
   */
  before(name: string): StoredBranch | undefined {
    const [, ...bases] = this.chain(name);
    return bases.findLast(({ folder }) => changesIn(folder).files > 0);
  }

  /** @throws SynapseError `conflict` if a branch is based on one with changes */
  assertFirst(name: string): void {
    const base = this.before(name);
    if (base !== undefined) throw isFirst(base.record.name, name);
  }

  /**
   * Creates a branch. It is not mounted.
   *
   * @param from the branch that it is based on. Default: the workspace
   * @param isUnfinished whether others see it only after {@link finish}
   * @throws SynapseError `already_exists` for a name in use
   */
  async create(name: string, from?: string, isUnfinished = false): Promise<StoredBranch> {
    assertBranchName(name);
    if (linkedWorktree(this.#root) !== undefined) throw inWorktree();
    const base = from === undefined ? [] : this.#layers(from);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw stateProblem('The branch cannot be made', this.#folder, error);
    }
    // Complete before it has its name: a kill leaves no half branch.
    let made: BranchFolder | undefined;
    try {
      await this.#sweep();
      made = new BranchFolder(mkdtempSync(join(this.#folder, `.new-${owner()}-`)));
      if (isUnfinished) writeFileSync(made.making, processIdentity(), { mode: 0o600 });
      return await this.#fill(made, name, base, from);
    } catch (error) {
      if (made !== undefined) await removeTree(made.path);
      throw stateProblem('The branch cannot be made', this.#folder, error);
    }
  }

  /** Lets others see a branch that was created unfinished. */
  finish({ folder }: StoredBranch): void {
    rmSync(folder.making);
  }

  async #fill(made: BranchFolder, name: string, base: readonly string[], from: string | undefined): Promise<StoredBranch> {
    for (const path of [made.upper, made.work, made.state, made.merged, made.based]) mkdirSync(path, { mode: 0o700 });
    prepareLayer(made.upper, this.#root);
    symlinkSync(this.#root, made.lower);
    for (const [index, layer] of base.entries()) symlinkSync(layer, made.above(index));
    const audit = `${workspaceId(this.#root)}-${name}-${randomBytes(4).toString('hex')}`;
    makeState({ state: made.state, stateFolder: this.#stateFolder, audit: { workspace: workspaceId(this.#root), branch: audit } }, true);
    if (from !== undefined) writeFileSync(join(made.state, ON_BRANCH), '');
    symlinkSync(join(MAIN_STATE, 'branches', basename(this.#folder), name, basename(made.held)), join(made.state, USED));
    const startedAt = String(await kernelTick(made.path));
    const record: BranchRecord = {
      version: 1,
      name,
      root: this.#root,
      from: from ?? null,
      created: new Date().toISOString(),
      startedAt,
      audit,
    };
    writeRecord(made, record);
    // Before it exists: a name too many is not counted, one too few would let its base be deleted.
    if (from !== undefined) writeFileSync(join(this.get(from).folder.based, name), '');
    const folder = this.folderOf(name);
    try {
      // Fails if the name is in use: a folder that is not empty is not replaced.
      renameSync(made.path, folder.path);
    } catch (error) {
      if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
      throw new SynapseError('already_exists', `The branch ${name} exists already.`, {
        hint: `Choose another name, or delete it: synapse branch drop ${name}`,
      });
    }
    return { folder, record };
  }

  /**
   * Deletes a branch that nothing uses.
   *
   * @param changes the number of changes that a person agreed to delete; with another number, nothing is deleted. Default: the number is not compared
   * @throws SynapseError `conflict` if it has another number of changes, or another one is based on it; `not_found` if it was deleted since, also
   *   if there is a new one of its name
   */
  async remove(stored: StoredBranch, changes?: number): Promise<void> {
    const { folder, record } = stored;
    if (readRecord(folder)?.audit !== record.audit) throw deletedSince(record.name);
    if (changes !== undefined && countChanges(folder) !== changes) throw changedMeanwhile(record.name);
    const [child] = this.basedOn(stored);
    if (child !== undefined) throw isBase(record.name, child.record.name);
    await this.#sweep();
    const gone = this.#takeAway(folder);
    if (record.from !== null) rmSync(join(this.#folder, record.from, 'based', record.name), { force: true });
    await removeTree(join(gone, '..'));
  }

  /** Gives the folder of a branch another name before it is removed: a kill leaves no half branch. */
  #takeAway(folder: BranchFolder): string {
    const gone = `${mkdtempSync(join(this.#folder, `.gone-${owner()}-`))}/branch`;
    renameSync(folder.path, gone);
    return gone;
  }

  /** Removes what killed processes left while they made or deleted a branch. */
  async #sweep(): Promise<void> {
    for (const folder of this.#names().map((name) => this.folderOf(name))) {
      if (!isLeft(folder)) continue;
      try {
        await removeTree(join(this.#takeAway(folder), '..'));
      } catch (error) {
        // Another process was faster.
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
    for (const name of readdirSync(this.#folder)) {
      const [, pid, started] = LEFT.exec(name) ?? [];
      if (pid !== undefined && isRunning(`${pid} ${started ?? ''}`) === false) await removeTree(join(this.#folder, name));
    }
  }

  /** The folder of the audit log of a branch. */
  logOf({ record }: StoredBranch): string {
    return join(this.#stateFolder, 'audit', record.audit);
  }

  folderOf(name: string): BranchFolder {
    return new BranchFolder(join(this.#folder, name));
  }

  #names(): string[] {
    return existsSync(this.#folder)
      ? readdirSync(this.#folder)
          .filter((name) => !name.startsWith('.'))
          .toSorted()
      : [];
  }

  #read(name: string): StoredBranch | undefined {
    const folder = this.folderOf(name);
    const record = existsSync(folder.making) ? undefined : readRecord(folder);
    return record === undefined ? undefined : { folder, record };
  }

  /** The layers of a branch and of those below it, the nearest first. */
  #layers(name: string): string[] {
    return this.chain(name).map(({ folder }) => folder.upper);
  }
}
