import { lstatSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { readRegular } from '../workspace/read-regular.ts';

/** Maximum bytes of a ref that are read. */
const MAX_REF_BYTES = 4_096;

/**
 * Whether what is in place of the ref of notes leads elsewhere: git would write the note to what it names, such as a branch. Undefined if
 * the repository is not in the workspace, as that of a linked worktree.
 */
export function notesLeadElsewhere(confinement: Confinement): boolean | undefined {
  try {
    using root = confinement.openDirectory([]);
    if (lstatSync(root.at('.git'), { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
    using folder = confinement.openDirectory(['.git', 'refs', 'notes']);
    const stat = lstatSync(folder.at('synapse'), { throwIfNoEntry: false });
    if (stat === undefined) return false;
    return !/^[\da-f]+\s*$/u.test(stat.isFile() ? (readRegular(folder.at('synapse'), MAX_REF_BYTES)?.bytes.toString() ?? '') : '');
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    // No note was written yet, or the refs are packed.
    return !(errnoOf(error) === 'ENOENT' || (isSynapseError(error) && error.code === 'not_found'));
  }
}
