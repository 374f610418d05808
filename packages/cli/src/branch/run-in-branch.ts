import { SynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { enterBranch } from './enter-branch.ts';

/** Runs the command line of this process again, in a branch. */
export async function runInBranch(name: string, workspace: string | undefined, { err, signal }: Pick<CommandIo, 'err' | 'signal'>): Promise<number> {
  if (process.argv[1] === undefined) throw new SynapseError('internal', 'The program of this process is not known.');
  const words = [...process.execArgv, ...process.argv.slice(1)];
  return await enterBranch({ name, root: trackedRoot(workspace, err), argv: [process.execPath, ...words], folder: process.cwd(), signal });
}
