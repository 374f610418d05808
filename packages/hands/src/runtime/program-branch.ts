import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { BranchStore, type StoredBranch } from '../branch/branch-store.ts';
import type { CloneLimits } from '../branch/clone-limits.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import type { Branch } from './hands.ts';
import type { ProgramParts } from './program-call.ts';

/** Where branches are copies: a second or two. Without a branch, the calls of a program change the workspace one by one, and are taken back together. */
const COPIES_AT_MOST: CloneLimits = { entries: 20_000, bytes: 256 * 1024 ** 2 };
/** The file in a branch that names the process whose program it belongs to. Without it, the branch waits for a person. */
const OWNER = 'program';
/** The beginning of the names of such branches. */
const PREFIX = 'program-';

const ownerOf = ({ folder }: StoredBranch): string => join(folder.path, OWNER);

const logOf = ({ stateFolder }: Pick<ProgramParts, 'stateFolder'>, { record }: StoredBranch): string => join(stateFolder, 'audit', record.audit);

/** Whether a branch belongs to a program that was killed with its process. */
function isLeft(stored: StoredBranch): boolean {
  const owner = ownerOf(stored);
  return existsSync(owner) && isRunning(readFileSync(owner, 'utf8')) === false;
}

/** The branch of one program. Disposing it deletes it, unless it was kept. */
export class ProgramBranch implements AsyncDisposable {
  readonly name: string;
  readonly branch: Branch;
  readonly #parts: ProgramParts;
  #isKept = false;

  /** Makes the branch, and deletes what killed programs left. */
  static async open(parts: ProgramParts): Promise<ProgramBranch> {
    const { hands, runtime, stateFolder } = parts;
    const store = new BranchStore(stateFolder, runtime.confinement.root);
    for (const left of store.list((name) => name.startsWith(PREFIX)).filter(isLeft)) await remove(parts, left);
    const name = `${PREFIX}${randomBytes(4).toString('hex')}`;
    await hands.createBranch(name);
    const stored = store.get(name);
    try {
      // Before anything is changed in it: a branch without an owner waits for a person.
      writeFileSync(ownerOf(stored), processIdentity(), { mode: 0o600 });
      return new ProgramBranch(parts, name, await hands.branch(name, { create: false, copiesAtMost: COPIES_AT_MOST }));
    } catch (error) {
      await remove(parts, stored);
      throw error;
    }
  }

  private constructor(parts: ProgramParts, name: string, branch: Branch) {
    this.#parts = parts;
    this.name = name;
    this.branch = branch;
  }

  get #stored(): StoredBranch {
    const { runtime, stateFolder } = this.#parts;
    return new BranchStore(stateFolder, runtime.confinement.root).get(this.name);
  }

  /** The folder of its audit log. */
  get log(): string {
    return logOf(this.#parts, this.#stored);
  }

  /** Leaves it to a person. */
  keep(): void {
    rmSync(ownerOf(this.#stored), { force: true });
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.branch[Symbol.asyncDispose]();
    // Where the hands are closing, the next program deletes it.
    if (!this.#isKept && !this.#parts.runtime.closing.aborted) await remove(this.#parts, this.#stored);
  }
}

/**
 * Deletes a branch, and its audit log: the calls of a program are in that of the workspace. What cannot be deleted now, such as on a
 * failing disk, is deleted by a program after this process: what the program did is done, and is the answer.
 */
async function remove(parts: ProgramParts, stored: StoredBranch): Promise<void> {
  try {
    await parts.hands.dropBranch(stored.record.name);
    rmSync(logOf(parts, stored), { recursive: true, force: true });
  } catch (error) {
    if (!isSynapseError(error) && errnoOf(error) === undefined) throw error;
  }
}
