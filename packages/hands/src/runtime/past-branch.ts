import type { BranchStore, StoredBranch } from '../branch/branch-store.ts';
import { holdBranch } from '../branch/hold-branch.ts';
import { whileUnused } from '../branch/while-unused.ts';
import { PastWorkspace } from '../past/past-workspace.ts';
import { restorePast } from '../past/restore-past.ts';
import type { AttributeWorker } from '../transaction/attribute-worker.ts';
import type { FileLocks } from '../workspace/file-lock.ts';

/** What it takes to make a branch of the past. */
export interface PastBranchParts {
  readonly stateFolder: string;
  readonly store: BranchStore;
  readonly locks: FileLocks;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

/**
 * Makes a branch of the workspace as it was before a call.
 *
 * @param call the id of any recorded call, or the beginning of it
 * @throws SynapseError `not_found` for an unknown call or one that the undo journal does not reach, `too_large` if a content is not kept
 */
export async function makePastBranch(
  { stateFolder, store, locks, attributes, signal }: PastBranchParts,
  name: string,
  call: string,
): Promise<StoredBranch> {
  // Complete before others see it: what a kill leaves is no branch that has a part of the past.
  const made = await store.create(name, undefined, true);
  const { folder, record } = made;
  try {
    using past = PastWorkspace.open(record.root, stateFolder, call, 'before');
    using held = await holdBranch(folder, record, { stateFolder, locks, signal });
    await restorePast(past, held.path(record.root), attributes, signal);
    store.finish(made);
    return made;
  } catch (error) {
    await whileUnused(locks, [made], new AbortController().signal, async () => await store.remove(made));
    throw error;
  }
}
