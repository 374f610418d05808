import { lstatSync, realpathSync } from 'node:fs';
import { isWhiteout } from '../transaction/change-entry.ts';
import type { AttributeWorker } from '../transaction/attribute-worker.ts';
import { isOpaque } from '../transaction/exact-attributes.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { BranchFolder } from './branch-folder.ts';
import type { LayerEntry } from './branch-side.ts';

/** What reading marks of layers requires. */
interface Reading {
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

/** What a layer has in place of an entry, which it does not list as a change of the workspace. */
export async function entryOf(upper: string, location: readonly Name[], reading: Reading): Promise<LayerEntry> {
  for (let depth = 1; depth <= location.length; depth += 1) {
    const at = location.slice(0, depth);
    const stat = lstatSync(joinNames(upper, at), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return (await hidesBelow(upper, at.slice(0, -1), reading)) ? 'deleted' : 'nothing';
    if (isWhiteout(stat)) return 'deleted';
    if (!stat.isDirectory()) return depth === location.length ? 'as in the workspace' : 'deleted';
  }
  return 'nothing';
}

/** Whether a folder of a layer, or one that it is in, was made anew. */
async function hidesBelow(upper: string, folder: readonly Name[], { attributes, signal }: Reading): Promise<boolean> {
  using confinement = new HandleConfinement(upper);
  using root = confinement.openDirectory([]);
  for (let depth = folder.length; depth > 0; depth -= 1) {
    if ((await isOpaque(attributes, root, folder.slice(0, depth), signal)) === true) return true;
  }
  return false;
}

/**
 * Tells which entries a branch did not see as the workspace has them, because a branch that it is based on has a version of its own. Of a
 * folder that was deleted or replaced, this is so if that one has anything in it.
 */
export function hiddenBelow({ layers }: BranchFolder, reading: Reading): (change: PlannedEntry) => Promise<boolean> {
  const below = layers.map(resolved);
  return async ({ location, isModeOnly, before }) => {
    for (const upper of below) {
      // It is being applied, or was when Synapse was ended.
      if (upper === undefined || (await entryOf(upper, location, reading)) !== 'nothing') return true;
      const stat = lstatSync(joinNames(upper, location), { bigint: true, throwIfNoEntry: false });
      if (stat !== undefined && !(isModeOnly && stat.mode === before?.mode)) return true;
    }
    return false;
  };
}

function resolved(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
