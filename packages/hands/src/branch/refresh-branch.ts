import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../workspace/file-error.ts';
import { USED } from './branch-state.ts';

/** Counts, in the state of a branch, how often its holder let the kernel look anew. */
const REFRESHED = 'refreshed';
/** Milliseconds between looks at that. */
const LOOK_MS = 1;
/** Looks after which a holder that does not answer is not waited for: half a second and more. Time in which the machine stands still has none. */
const LOOKS = 500;

/**
 * Lets a branch see what others changed in the workspace below: until then, the kernel shows files as they were when they were first
 * looked up. For a process in the branch.
 *
 * @returns whether it does, as far as is known
 */
export async function refreshBranch(stateFolder: string): Promise<boolean> {
  const before = refreshed(stateFolder);
  if (!ask(stateFolder)) return false;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await delay(LOOK_MS);
    const now = refreshed(stateFolder);
    if (now !== '' && now !== before) return true;
  }
  return false;
}

function ask(stateFolder: string): boolean {
  try {
    const pipe = openSync(join(stateFolder, USED), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(pipe, '.\n');
    } finally {
      closeSync(pipe);
    }
    return true;
  } catch (error) {
    // Its holder was killed, or many have asked.
    if (!['ENOENT', 'ENXIO', 'EAGAIN', 'EPIPE'].includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

function refreshed(stateFolder: string): string {
  try {
    return readFileSync(join(stateFolder, REFRESHED), 'latin1');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
