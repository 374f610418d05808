import { BranchStore, countChanges, count, defaultStateFolder, FileLocks, whileUnused, type StoredBranch } from '@synapse/hands/internal';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { trackedRoot } from '../hands/workspace-root.ts';
import type { Output } from '../output/output.ts';
import { AUTO } from './branch-variable.ts';
import { enterBranch } from './enter-branch.ts';

interface Io {
  readonly err: Output;
  readonly signal: AbortSignal;
}

/** Runs the command line of this process again, in a branch. */
export async function runInBranch(named: string, workspace: string | undefined, io: Io): Promise<number> {
  if (process.argv[1] === undefined) throw new SynapseError('internal', 'The program of this process is not known.');
  const root = trackedRoot(workspace, io.err);
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)] as const;
  const run = async (name: string): Promise<number> => await enterBranch({ name, root, argv, folder: process.cwd(), ...io });
  return named === AUTO ? await runInOwn(root, run, io.err) : await run(named);
}

/** Runs work in a new branch. It stays if anything was changed in it. */
async function runInOwn(root: string, run: (name: string) => Promise<number>, err: Io['err']): Promise<number> {
  const store = new BranchStore(defaultStateFolder(), root);
  const name = `session-${randomBytes(3).toString('hex')}`;
  const made = await store.create(name);
  err.write(`Working in the branch ${name}. Nothing reaches the workspace before a person applies it.\n`, 'dim');
  try {
    return await run(name);
  } finally {
    await leave(store, made, err);
  }
}

/** Deletes a branch without changes; says what is in another. */
async function leave(store: BranchStore, made: StoredBranch, err: Io['err']): Promise<void> {
  const { name } = made.record;
  const changes = countChanges(made.folder);
  if (changes > 0) return err.write(`The branch ${name} has ${count(changes, 'change')}: synapse branch apply ${name}\n`);
  try {
    const { signal } = new AbortController();
    await whileUnused(new FileLocks(join(defaultStateFolder(), 'locks')), [made], signal, async () => await store.remove(made));
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    err.write(`The branch ${name} stays. ${error.message} To delete it: synapse branch drop ${name}\n`);
  }
}
