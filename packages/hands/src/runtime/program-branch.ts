import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { BranchStore, type StoredBranch } from '../branch/branch-store.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import type { Branch } from './hands.ts';
import type { ProgramParts } from './program-call.ts';

/** The file in a branch that names the process whose program it belongs to. Without it, the branch waits for a person. */
const OWNER = 'program';

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
    for (const left of store.list().filter(isLeft)) await remove(parts, left);
    const name = `program-${randomBytes(4).toString('hex')}`;
    const branch = await hands.branch(name);
    writeFileSync(ownerOf(store.get(name)), processIdentity());
    return new ProgramBranch(parts, name, branch);
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

/** Deletes a branch, and its audit log: the calls of a program are in that of the workspace. */
async function remove(parts: ProgramParts, stored: StoredBranch): Promise<void> {
  try {
    await parts.hands.dropBranch(stored.record.name);
  } catch (error) {
    // Another process deletes it, or looks at it.
    if (isSynapseError(error) && (error.code === 'not_found' || error.code === 'busy')) return;
    throw error;
  }
  rmSync(logOf(parts, stored), { recursive: true, force: true });
}
