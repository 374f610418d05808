import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TransactionParts } from '../transaction/apply-changes.ts';
import { prepareLayer, TransactionArea } from '../transaction/transaction-area.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { writeRecord } from './branch-record.ts';
import { isApplying, type StoredBranch } from './branch-store.ts';
import { restoreMixed } from './mixed-files.ts';
import { clearBases } from './bases-folder.ts';
import { countChanges } from './count-changes.ts';
import { dropClone } from './make-clone.ts';

/** Moves the layer of a branch to an area, from which it is applied. Both say so before: a kill must lose neither. */
export function lendLayer({ folder }: StoredBranch, area: TransactionArea): void {
  writeFileSync(area.ofBranch, '');
  writeFileSync(`${folder.applying}.new`, area.path, { mode: 0o600 });
  renameSync(`${folder.applying}.new`, folder.applying);
  if (existsSync(folder.pinned)) symlinkSync(folder.pinned, area.pinned);
  rmdirSync(area.upper);
  renameSync(folder.upper, area.upper);
}

/**
 * Gives a branch its layer back, if Synapse was ended while it applied it. What was applied in part has been taken back by the journal;
 * call this only while no other process applies changes.
 */
export async function finishApply({ areas, journal }: Pick<TransactionParts, 'areas' | 'journal'>, stored: StoredBranch): Promise<void> {
  const { folder, record } = stored;
  if (!isApplying(stored)) return;
  const area = new TransactionArea(join(areas, basename(readFileSync(folder.applying, 'utf8'))));
  if (!existsSync(folder.upper)) {
    if (existsSync(area.upper)) renameSync(area.upper, folder.upper);
    else {
      mkdirSync(folder.upper, { mode: 0o700 });
      prepareLayer(folder.upper, record.root);
    }
  }
  restoreMixed(folder.upper, folder);
  if (existsSync(area.path)) await area.settle(journal.database.areas.isKept(area.name));
  // What was applied as a whole is no conflict for what is changed in the branch from now on.
  if (countChanges(folder) === 0) await beginAnew(stored);
  rmSync(folder.applying, { force: true });
}

/** Lets a branch in which nothing is changed begin with the workspace as it is now. */
export async function beginAnew({ folder, record }: StoredBranch): Promise<void> {
  clearBases(folder.state);
  await dropClone(folder);
  writeRecord(folder, { ...record, startedAt: String(await kernelTick(folder.path)) });
}
