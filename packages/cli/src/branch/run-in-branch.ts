import { BranchStore, countChanges, count, defaultStateFolder, isReleased } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { trackedRoot } from '../hands/workspace-root.ts';
import type { Output } from '../output/output.ts';
import { AUTO } from './branch-variable.ts';
import { enterBranch } from './enter-branch.ts';

interface Io {
  readonly err: Output;
  readonly signal: AbortSignal;
}

/** Runs the command line of this process again, in a branch. */
export async function runInBranch(named: string, workspace: string | undefined, { err, signal }: Io): Promise<number> {
  if (process.argv[1] === undefined) throw new SynapseError('internal', 'The program of this process is not known.');
  const root = trackedRoot(workspace, err);
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)] as const;
  const run = async (name: string): Promise<number> => await enterBranch({ name, root, argv, folder: process.cwd(), signal });
  return named === AUTO ? await runInOwn(root, run, err) : await run(named);
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
    const changes = countChanges(made.folder);
    if (changes === 0 && (await isReleased(made.folder, new AbortController().signal))) await store.remove(made);
    else if (changes === 0) err.write(`The branch ${name} is still in use: synapse branch drop ${name}\n`);
    else err.write(`The branch ${name} has ${count(changes, 'change')}: synapse branch apply ${name}\n`);
  }
}
