import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BranchStore, defaultStateFolder, FileLocks, holdBranch, UnrecordedChanges, type HeldBranch } from '@synapse/hands/internal';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Output } from '../output/output.ts';
import { BRANCH_VARIABLE, ENTERED_BY_VARIABLE } from './branch-variable.ts';
import { repairBranches } from './repair-branches.ts';

/** Signals for the command. Ctrl+C in a terminal reaches it by itself. */
const passedOn = (): readonly NodeJS.Signals[] => ['SIGTERM', 'SIGHUP', ...(process.stdin.isTTY ? [] : ['SIGINT' as const])];

/** A command line to run in a branch. */
export interface EnteringBranch {
  readonly name: string;
  /** Real path of the workspace. */
  readonly root: string;
  readonly argv: readonly [string, ...string[]];
  /** The folder in which it starts. */
  readonly folder: string;
  readonly err: Output;
  readonly signal: AbortSignal;
  /** Whether the command is a person's own, of which nothing records what it changes. */
  readonly isUnrecorded?: boolean;
}

/** Mounts a branch of a workspace, by its name. Finishes or takes back what a kill left of applying it, and says so on `err`. */
export async function holdNamed(name: string, root: string, signal: AbortSignal, err?: Output): Promise<HeldBranch> {
  const stateFolder = defaultStateFolder();
  const store = new BranchStore(stateFolder, root);
  if (store.chain(name).some(({ folder }) => existsSync(folder.applying))) await repairBranches(root, err);
  const { folder, record } = store.get(name);
  return await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
}

/** The same for a command of a person or an editor, of which nothing records what it changes: that is noted when this is disposed. */
export async function holdUnrecorded(name: string, root: string, signal: AbortSignal, err?: Output): Promise<HeldBranch> {
  using stack = new DisposableStack();
  const held = stack.use(await holdNamed(name, root, signal, err));
  stack.use(await UnrecordedChanges.begin(new BranchStore(defaultStateFolder(), root).get(name).folder, held));
  const kept = stack.move();
  return { ...held, [Symbol.dispose]: () => kept.dispose() };
}

/** Runs a command line in a branch, with the terminal of this process. Returns its exit code. */
export async function enterBranch({ name, root, argv, folder, err, signal, isUnrecorded = false }: EnteringBranch): Promise<number> {
  using held = await (isUnrecorded ? holdUnrecorded : holdNamed)(name, root, signal, err);
  const [program, ...words] = held.enter(argv, folder);
  const child = spawn(program, words, {
    env: {
      ...process.env,
      ...held.environment,
      [BRANCH_VARIABLE]: name,
      ...(isUnrecorded ? {} : { [ENTERED_BY_VARIABLE]: String(process.pid) }),
    },
    // The branch stays mounted as long as the command runs, even if this process is killed.
    stdio: ['inherit', 'inherit', 'inherit', held.descriptor],
  });
  using listening = new DisposableStack();
  for (const passed of passedOn()) {
    const pass = (): void => void child.kill(passed);
    process.on(passed, pass);
    listening.defer(() => void process.off(passed, pass));
  }
  const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (by === null ? 0 : constants.signals[by]);
}
