import { SynapseError } from '@synapse/protocol';
import { kernelTick } from '../workspace/file-seconds.ts';
import { MAX_MERGED_BYTES } from './base-log.ts';
import { readBranch, type BranchParts } from './apply-branch.ts';
import type { BranchConflict } from './branch-conflict.ts';
import type { StoredBranch } from './branch-store.ts';
import { resolve, type Choice } from './resolutions.ts';

/**
 * Notes which version of a conflict counts. Nothing is changed before the branch is applied.
 *
 * @throws SynapseError `not_found` if there is no such conflict
 */
export async function resolveConflict(parts: BranchParts, stored: StoredBranch, path: string, choice: Choice): Promise<BranchConflict> {
  const plain = path.replace(/^\.\//u, '').replace(/\/+$/u, '');
  const { folder } = stored;
  // Before the versions are read: what is changed later was not seen.
  const at = await kernelTick(folder.path);
  const { open, conflicts } = await readBranch(parts, stored);
  const conflict = conflicts.find((one) => one.path === plain);
  const change = open.read.changes.find((one) => one.path === plain);
  if (conflict === undefined || change === undefined) {
    const names = conflicts.slice(0, 20).map((one) => one.path);
    throw new SynapseError('not_found', `No conflict: ${plain}`, {
      hint: `The conflicts are ${names.join(', ') || 'none: the branch can be applied'}.`,
    });
  }
  if (typeof choice === 'object') {
    if ([change.before, change.now].some((stat) => stat?.isDirectory() === true)) {
      throw new SynapseError('wrong_type', `${plain} is a folder, so no file can take its place.`, { hint: 'Choose one of the versions.' });
    }
    if (choice.content.length > MAX_MERGED_BYTES)
      throw new SynapseError('too_large', 'The file has more than 2 MB.', { hint: 'Choose one of the versions, and change it after it is applied.' });
  }
  resolve(folder.state, change, choice, at);
  return conflict;
}
