import { utimesSync, type BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { isSwap } from '../journal/swap-entry.ts';
import { loadPath } from '../workspace/changes/step.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { nanosecondsOf, secondsOf } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { AttributeOrders } from './exact-attributes.ts';
import type { ChangePlan } from './plan-changes.ts';
import type { ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

interface Finishing {
  readonly confinement: Confinement;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

interface Finished {
  readonly area: TransactionArea;
  readonly read: Pick<ReadChanges, 'hasCopies'>;
  readonly startedAt: bigint;
}

/**
 * Removes overlay marks from entries before they are applied. A recreated folder keeps its marks until it is in place:
 * if that fails, they still show that it was recreated.
 */
export async function cleanBefore({ attributes, signal }: Finishing, { area, read }: Finished, { steps }: ChangePlan): Promise<void> {
  const orders = new AttributeOrders();
  for (const step of steps) {
    if (!isSwap(step) || step.after === null || (!read.hasCopies && step.after.type !== 'folder')) continue;
    // The kernel also marks a new folder that is renamed to its place, wherever that is.
    if (!read.hasCopies) orders.clean(loadPath(step.path), 'folders');
    else orders.clean(loadPath(step.path), step.before?.type === 'folder' && step.after.type === 'folder' ? 'below' : 'all');
  }
  if (orders.isEmpty) return;
  using upper = new HandleConfinement(area.upper);
  using folder = upper.openDirectory([]);
  await orders.run(attributes, folder, signal);
}

/**
 * Restores the folder times that the command left, because exchanging entries changed them, and removes the marks from
 * recreated folders. An explicitly set time is restored to the nanosecond.
 */
export async function finishFolders({ confinement, attributes, signal }: Finishing, { startedAt }: Finished, plan: ChangePlan): Promise<void> {
  using held = new DisposableStack();
  const orders = new AttributeOrders();
  const open = (location: WorkspacePath): PinnedDirectory | undefined => {
    try {
      return confinement.openDirectory(location);
    } catch (error) {
      // Deleted in the meantime.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  };
  for (const step of plan.steps) {
    if (!orders.hasRoom) break;
    if (!isSwap(step) || step.before?.type !== 'folder' || step.after?.type !== 'folder') continue;
    const folder = open(loadPath(step.path));
    if (folder !== undefined) orders.cleanHeld(held.use(folder));
  }
  for (const { location, stat } of plan.folders) {
    const folder = open(location);
    if (folder === undefined) continue;
    using _ = folder;
    const isChosen = stat.mtimeNs < startedAt && nanosecondsOf(secondsOf(stat.mtimeNs)) !== stat.mtimeNs;
    // Opened anew: a handle of a folder that the command closed to its owner leads to no other.
    const again = isChosen && orders.hasRoom ? open(location) : undefined;
    if (again !== undefined) orders.setTimes(held.use(again), stat);
    giveTimes(folder, stat);
  }
  if (!orders.isEmpty) await orders.run(attributes, held.use(confinement.openDirectory([])), signal);
}

function giveTimes(folder: PinnedDirectory, { atimeNs, mtimeNs }: BigIntStats): void {
  try {
    // Without the final dot, as the command may have closed it to its owner.
    utimesSync(folder.self.replace(/\/\.$/u, ''), secondsOf(atimeNs), secondsOf(mtimeNs));
  } catch (error) {
    // Owned by another user. Then its time only says when its content last changed.
    if (errnoOf(error) === undefined) throw error;
  }
}
