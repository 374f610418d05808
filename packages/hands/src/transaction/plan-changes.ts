import { lstatSync, readlinkSync, type BigIntStats, type PathLike } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { storePath, type Step } from '../journal/step.ts';
import { wholeImage } from '../journal/whole-entry.ts';
import { displayPath, joinNames, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { resolveTarget, type Target } from '../workspace/target.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { addTo, turns, visitTree, type TreeSize } from '../workspace/visit-tree.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { PlannedEntry } from './read-changes.ts';
import { sameContent } from './same-content.ts';
import type { TransactionArea } from './transaction-area.ts';

/** What to do to make the workspace as a command left its copy. */
export interface ChangePlan {
  readonly steps: readonly Step[];
  /** Changes of what something else changed meanwhile. */
  readonly conflicts: readonly PlannedEntry[];
  /** The times that folders are to have, as exchanging entries in them changes these. */
  readonly folders: ReadonlyArray<{ readonly location: WorkspacePath; readonly stat: BigIntStats }>;
}

/** What a plan is made from. */
export interface PlanSources {
  readonly confinement: Confinement;
  readonly area: TransactionArea;
  readonly changes: readonly PlannedEntry[];
  /** Nanoseconds since 1970: from when on what changed in the workspace was changed by something else. */
  readonly startedAt: bigint;
  readonly signal: AbortSignal;
}

const upperPath = (area: TransactionArea, location: readonly Name[]): string | Buffer => joinNames(area.upper, location);
const linkText = (path: PathLike): Buffer => readlinkSync(path, 'buffer');

/** Compares what the workspace has now with what it had, and says how each entry is to be exchanged. */
export async function planChanges({ confinement, area, changes, startedAt, signal }: PlanSources): Promise<ChangePlan> {
  const steps: Step[] = [];
  const modes: Step[] = [];
  const conflicts: PlannedEntry[] = [];
  const folders = new Map<string, { location: WorkspacePath; stat: BigIntStats }>();
  const firstSlot = area.firstSlot();
  const rest = turns(signal);
  for (const change of changes) {
    await rest();
    const { location, before, now } = change;
    const path = storePath(location);
    if (change.isModeOnly && before !== undefined && now !== undefined) {
      const image = (stat: BigIntStats) => ({ type: 'folder' as const, mode: Number(stat.mode) & 0o7777 });
      modes.unshift({ kind: 'set', path, before: image(before), after: image(now) });
      continue;
    }
    const found = await find(confinement, area, change, startedAt, signal);
    if (found === 'conflict') conflicts.push(change);
    if (typeof found === 'string') continue;
    const made = now === undefined ? null : wholeImage(now, change, now.isSymbolicLink() ? linkText(upperPath(area, location)) : undefined);
    const swap = { area: area.name, slot: firstSlot + steps.length, keep: 'old' } as const;
    steps.push({ kind: 'set', path, before: found.image, after: made, swap });
    const parent = location.slice(0, -1);
    const key = displayPath(parent);
    if (!folders.has(key)) folders.set(key, { location: parent, stat: lstatSync(upperPath(area, parent), { bigint: true }) });
  }
  return { steps: [...steps, ...modes], conflicts, folders: [...folders.values()] };
}

/** What is there now, as it is kept for undo; `done` where it is as it should be already. */
async function find(
  confinement: Confinement,
  area: TransactionArea,
  { location, before, now }: PlannedEntry,
  startedAt: bigint,
  signal: AbortSignal,
): Promise<'conflict' | 'done' | { readonly image: ReturnType<typeof wholeImage> | null }> {
  using place = placeOf(confinement, location);
  if (place === undefined) return now === undefined ? 'done' : 'conflict';
  const { stat } = place;
  if (stat === undefined) {
    if (now === undefined) return 'done';
    return before === undefined ? { image: null } : 'conflict';
  }
  const at = place.ancestor.at(place.name);
  if (before === undefined || stat.ino !== before.ino || stat.dev !== before.dev || stat.ctimeNs >= startedAt) {
    const isSame = now?.isFile() === true && stat.isFile() && now.size === stat.size && now.mode === stat.mode;
    return isSame && sameContent(upperPath(area, location), at) ? 'done' : 'conflict';
  }
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  if (!stat.isDirectory())
    return { image: wholeImage(stat, { entries: 0, bytes: Number(stat.size) }, stat.isSymbolicLink() ? linkText(at) : undefined) };
  using cursor = new TreeCursor(place.ancestor.self);
  cursor.enter(place.name);
  let changed = false;
  await visitTree(
    cursor,
    (_, below) => {
      addTo(size, below);
      if (!below.isDirectory() && below.ctimeNs >= startedAt) changed = true;
    },
    signal,
  );
  return changed ? 'conflict' : { image: wholeImage(stat, size) };
}

/** Where a change is to be made; undefined where its folder is not there any more, or is another behind a link. */
function placeOf(confinement: Confinement, location: WorkspacePath): Target | undefined {
  try {
    const place = resolveTarget(confinement, location, { followLink: false });
    if (place.missing.length === 0 && displayPath(place.location) === displayPath(location)) return place;
    place[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (isSynapseError(error) || ['ENOTDIR', 'ENOENT'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
