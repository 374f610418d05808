import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BranchStore, copyPast, defaultStateFolder, FileLocks, forgetPast, whileUnused, type StoredBranch } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { BRANCH_VARIABLE } from './branch-variable.ts';
import { holdNamed } from './enter-branch.ts';

/**
 * Makes a branch of the workspace as it was before a call: the calls since are undone in the branch.
 *
 * @throws SynapseError `conflict` if something else changed the same since
 */
export async function makePastBranch(name: string, root: string, call: string, signal: AbortSignal): Promise<void> {
  const stateFolder = defaultStateFolder();
  const store = new BranchStore(stateFolder, root);
  const made = await store.create(name);
  const alone = async (work: () => Promise<void>): Promise<void> => {
    await whileUnused(new FileLocks(join(stateFolder, 'locks')), [made], new AbortController().signal, work);
  };
  try {
    const calls = await copyPast(stateFolder, made, call, signal);
    await undoIn(made, calls, signal);
    await alone(async () => await forgetPast(made));
  } catch (error) {
    await alone(async () => await store.remove(made));
    throw error;
  }
}

async function undoIn({ folder, record: { name, root } }: StoredBranch, calls: number, signal: AbortSignal): Promise<void> {
  using held = await holdNamed(name, root, signal);
  // The journal knows the entries of the workspace, and a copy has others.
  if (existsSync(folder.clone)) throw needsOverlays();
  const command = [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'undo', '--last', String(calls), '--yes'] as const;
  const [program, ...words] = held.enter(command, root);
  const env = { ...process.env, [BRANCH_VARIABLE]: name };
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe', held.descriptor], signal });
  if (child.stderr === null) throw new TypeError('The command has no pipe.');
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw notUndone(said);
}

function needsOverlays(): SynapseError {
  return new SynapseError('unavailable', 'A branch of the past needs overlays, and this branch would be a clone.', {
    hint: 'synapse doctor says why. Make the branch without --at.',
  });
}

function notUndone(said: string): SynapseError {
  const conflicts = said.split('\n').flatMap((line) => /^Conflict: (?<what>.*); nothing was undone\.$/u.exec(line)?.groups?.['what'] ?? []);
  const why = conflicts.length === 0 ? said.trim().split('\n').at(-1) : conflicts.slice(0, 5).join(', ');
  return new SynapseError('conflict', `The workspace cannot be shown as it was: ${why ?? 'the changes since cannot be taken back'}.`, {
    hint: 'Choose a later call: synapse log lists them.',
  });
}
