import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BranchStore, defaultStateFolder, FileLocks, holdBranch, type HeldBranch } from '@synapse/hands/internal';
import { constants } from 'node:os';
import { join } from 'node:path';
import { BRANCH_VARIABLE } from './branch-variable.ts';

/** Signals that are sent to this process alone. Ctrl+C in a terminal reaches the command by itself. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const;

/** A command line to run in a branch. */
export interface EnteringBranch {
  readonly name: string;
  /** Real path of the workspace. */
  readonly root: string;
  readonly argv: readonly [string, ...string[]];
  /** The folder in which it starts. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Mounts a branch of a workspace, by its name. */
export async function holdNamed(name: string, root: string, signal: AbortSignal): Promise<HeldBranch> {
  const stateFolder = defaultStateFolder();
  const { folder, record } = new BranchStore(stateFolder, root).get(name);
  return await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
}

/** Runs a command line in a branch, with the terminal of this process. Returns its exit code. */
export async function enterBranch({ name, root, argv, folder, signal }: EnteringBranch): Promise<number> {
  using held = await holdNamed(name, root, signal);
  const [program, ...words] = held.enter(argv, folder);
  const child = spawn(program, words, {
    env: { ...process.env, [BRANCH_VARIABLE]: name },
    // The branch stays mounted as long as the command runs, even if this process is killed.
    stdio: ['inherit', 'inherit', 'inherit', held.descriptor],
  });
  using listening = new DisposableStack();
  for (const passed of PASSED_ON) {
    const pass = (): void => void child.kill(passed);
    process.on(passed, pass);
    listening.defer(() => void process.off(passed, pass));
  }
  const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (by === null ? 0 : constants.signals[by]);
}
