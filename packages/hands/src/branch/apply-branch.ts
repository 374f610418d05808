import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { dropMarks, exchangeAll, type OpenChanges, type TransactionParts } from '../transaction/apply-changes.ts';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import { readArea } from '../transaction/read-area.ts';
import { makeArea, prepareLayer, TransactionArea } from '../transaction/transaction-area.ts';
import { lendLayer } from './finish-apply.ts';
import { writeRecord, type BranchRecord } from './branch-record.ts';
import type { StoredBranch } from './branch-store.ts';

/** What was applied of a branch. What was not stays in it. */
export interface AppliedBranch {
  readonly applied: number;
  /** Paths that something else changed in the workspace since. */
  readonly conflicts: readonly string[];
  /** Number of changes that stay in the branch for another reason: they belong to a repository with a conflict, or were not chosen. */
  readonly left: number;
  /** True if it can be undone; otherwise the reason why not. */
  readonly undo: true | string;
}

/** The name of a branch in records of changes. */
const commandOf = ({ name }: BranchRecord): string => `branch ${name}`;

/** The changes of a branch, judged by the rules and the workspace as they are now. */
export async function readBranch(parts: TransactionParts, { folder, record }: StoredBranch): Promise<OpenChanges> {
  const area = new TransactionArea(folder.path);
  const command = commandOf(record);
  return { area, read: await readArea(parts, area, command), startedAt: BigInt(record.startedAt), command };
}

/**
 * Applies a branch that nothing uses to its workspace, as one change that can be undone. Conflicts stay in the branch.
 *
 * @param paths apply only these entries and what is in them. Default: all
 * @throws SynapseError `not_found` if one of the paths is not changed
 */
export async function applyBranch(parts: TransactionParts, stored: StoredBranch, paths?: readonly string[]): Promise<AppliedBranch> {
  const { record } = stored;
  const { areas, confinement } = parts;
  const command = commandOf(record);
  // An area of its own: what an undo needs of it stays when the branch is dropped.
  const area = makeArea(areas, confinement.root, command);
  lendLayer(stored, area);
  let rest: readonly PlannedEntry[] | undefined;
  try {
    const read = await readArea(parts, area, command);
    const chosen = paths === undefined ? read : choose(read, paths);
    const { plan, undo } = await exchangeAll(parts, { area, read: chosen, startedAt: BigInt(record.startedAt), command }, false);
    const others = read.changes.filter((change) => !chosen.changes.includes(change));
    rest = [...plan.conflicts, ...plan.alongside, ...others];
    dropMarks(area, read.changes, rest, plan.steps.length);
    const left = rest.length - plan.conflicts.length;
    return { applied: plan.steps.length, conflicts: plan.conflicts.map(({ path }) => path), left, undo };
  } finally {
    await giveBack(area, stored, rest);
  }
}

/** Gives a branch back what was not applied. */
async function giveBack(area: TransactionArea, { folder, record }: StoredBranch, rest: readonly PlannedEntry[] | undefined): Promise<void> {
  const isEmpty = rest?.length === 0;
  if (!isEmpty && existsSync(area.upper)) renameSync(area.upper, folder.upper);
  else {
    mkdirSync(folder.upper, { mode: 0o700 });
    prepareLayer(folder.upper, record.root);
    writeRecord(folder, { ...record, startedAt: String(await kernelTick(folder.path)) });
  }
  await area.settle();
  rmSync(folder.applying, { force: true });
}

/** The changes below some paths. */
function choose(read: ReadChanges, paths: readonly string[]): ReadChanges {
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const plain = paths.map((path) => path.replace(/^\.\//u, '').replace(/\/+$/u, ''));
  const missing = plain.find((path) => path !== '.' && !read.changes.some((change) => isIn(change.path, path)));
  if (missing !== undefined) {
    throw new SynapseError('not_found', `The branch does not change ${missing}.`, {
      hint: `It changes ${
        read.changes
          .slice(0, 20)
          .map(({ path }) => path)
          .join(', ') || 'nothing'
      }.`,
    });
  }
  const isChosen = (path: string): boolean => plain.some((folder) => folder === '.' || isIn(path, folder));
  return {
    ...read,
    changes: read.changes.filter(({ path }) => isChosen(path)),
    withheld: read.withheld.filter(({ path }) => isChosen(path)),
    touched: read.touched.filter(({ location }) => isChosen(displayPath(location))),
  };
}
