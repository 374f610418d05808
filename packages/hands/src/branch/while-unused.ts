import { SynapseError } from '@synapse/protocol';
import type { FileLocks } from '../workspace/file-lock.ts';
import type { StoredBranch } from './branch-store.ts';
import { isReleased, lockOf } from './hold-branch.ts';
import { leftBehind, outlivedHolder } from './outlived-holder.ts';

/**
 * Does work on a branch that no process uses, nor one that is based on it. None can begin to use them meanwhile.
 *
 * @throws SynapseError `busy` if one is in use
 */
export async function whileUnused<T>(locks: FileLocks, branches: readonly StoredBranch[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const keys = branches.map(({ folder }) => lockOf(folder));
  return await locks.hold(keys, signal, async () => {
    for (const { folder, record } of branches) {
      if (await isReleased(folder, signal)) continue;
      const [left] = outlivedHolder(folder);
      throw left === undefined ? inUse(record.name) : leftBehind(record.name, left);
    }
    return await work();
  });
}

function inUse(name: string): SynapseError {
  return new SynapseError('busy', `The branch ${name} is in use.`, {
    hint: 'End the sessions and jobs in it first: synapse branch list',
    retryable: true,
  });
}
