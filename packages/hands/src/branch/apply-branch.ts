import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { dropMarks, exchangeAll, type OpenChanges, type TransactionParts } from '../transaction/apply-changes.ts';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import { repositoryOf, type Expected } from '../transaction/plan-changes.ts';
import { readArea } from '../transaction/read-area.ts';
import { makeArea, prepareLayer, TransactionArea } from '../transaction/transaction-area.ts';
import { look } from '../journal/swap-entry.ts';
import { inodeOf, placesOf } from '../workspace/changes/step.ts';
import { displayPath, joinNames } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { removeByHandle } from '../workspace/remove-tree.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { Bases } from './base-log.ts';
import { bringAll, conflictsOf, orReference, waitsFor } from './bring-all.ts';
import { noteBrought, readBrought } from './brought-log.ts';
import { foldersBelow, type BranchFolder } from './branch-folder.ts';
import type { BranchRecord } from './branch-record.ts';
import type { StoredBranch } from './branch-store.ts';
import { assertChanged, choose } from './choose-changes.ts';
import { refreshLayer } from './clone-layer.ts';
import { CloneManifest } from './clone-manifest.ts';
import { beginAnew, lendLayer } from './finish-apply.ts';
import type { HunkChoice } from './hunk-rulings.ts';
import { hiddenBelow } from './layer-entry.ts';
import { MergedCommits, type CommittedBase } from './merged-commits.ts';
import { noteAbove } from './note-above.ts';
import { putMixed, restoreMixed } from './mixed-files.ts';
import type { BranchConflict } from './branch-conflict.ts';
import { readResolutions } from './resolutions.ts';
import { conflictOf, ruleChanges, type Ruling } from './rule-changes.ts';
import { withoutParts } from './whole-repositories.ts';

/** What was applied of a branch. What was not stays in it. */
export interface AppliedBranch {
  readonly applied: number;
  /** Paths of files that got what both sides changed. */
  readonly merged: readonly string[];
  /** What both sides changed. */
  readonly conflicts: readonly BranchConflict[];
  /** Commits of repositories that something else changed meanwhile: they have a reference of their own, and all else stays as it is. */
  readonly commits: ReadonlyArray<{
    /** The folder of the repository, such as `.git`. */
    readonly repository: string;
    /** Such as `refs/heads/synapse/fix`. */
    readonly ref: string;
    readonly commit: string;
  }>;
  /** Number of changes that stay in the branch for another reason: they belong to a repository with a conflict, or were not chosen. */
  readonly left: number;
  /** True if it can be undone; otherwise the reason why not. */
  readonly undo: true | string;
}

/** The same, with what is left in repositories. */
export interface AppliedParts extends AppliedBranch {
  /** Repositories, such as `.git`, of which nothing was applied because some of their files are conflicts. */
  readonly held: readonly string[];
  /** How many of {@link left} are files of repositories. */
  readonly leftInRepositories: number;
}

/** The part of a branch that is applied. */
export interface Wanted {
  /** Only these entries, and what is in them. Default: all */
  readonly paths?: readonly string[] | undefined;
  /** Only these hunks of some files. All else is applied as it is otherwise. */
  readonly hunks?: readonly HunkChoice[] | undefined;
  /** What the branch must have changed. Default: anything. */
  readonly fingerprint?: string | undefined;
}

/** What applying a branch would do. */
export interface ReadBranch {
  /** Without what the workspace has already. */
  readonly open: OpenChanges;
  /** Files that get what both sides changed, by {@link bytePath}. */
  readonly mixed: ReadonlyMap<string, Extract<Ruling, { kind: 'mixed' }>>;
  readonly merged: readonly string[];
  readonly conflicts: readonly BranchConflict[];
  /** What both sides had of files with conflicts in a commit, by {@link bytePath}. */
  readonly committed: ReadonlyMap<string, CommittedBase>;
}

/** Dependencies of applying a branch. */
export interface BranchParts extends TransactionParts {
  /** The places of changes from before a time, in milliseconds since 1970, that were undone after it. */
  readonly undone: (since: number) => readonly WorkspacePath[];
  /** The text of a hunk as people see it. Default: as it is */
  readonly shown?: (text: string) => string;
}

/** Dependencies of applying one. */
export interface ApplyingParts extends BranchParts {
  /** The branches that are based on it, directly or through others. */
  readonly above: readonly StoredBranch[];
}

type Rulings = ReadonlyMap<PlannedEntry, Ruling>;

/** The name of a branch in records of changes. */
const commandOf = ({ name }: BranchRecord): string => `branch ${name}`;

async function rulingsOf(
  parts: BranchParts,
  { folder, record }: StoredBranch,
  area: TransactionArea,
  changes: readonly PlannedEntry[],
): Promise<Rulings> {
  const { confinement, signal } = parts;
  const { inodeMap } = parts.powers();
  const bases = new Bases(folder.state, BigInt(record.startedAt), CloneManifest.of(folder));
  // What is hidden is read in their layers.
  for (const below of foldersBelow(folder)) if (existsSync(below.upper)) await refreshLayer(below, parts);
  const undone = parts.undone(Number(BigInt(record.startedAt) / 1_000_000n));
  using merged = record.from === null ? new MergedCommits(parts, area, readBrought(folder.state)) : undefined;
  return await ruleChanges(
    {
      confinement,
      upper: area.upper,
      bases,
      merged,
      isHidden: hiddenBelow(folder, parts),
      resolved: readResolutions(folder.state),
      isPutBack: (stat) => inodeMap.isPutBack(stat),
      isSame: (inode, stat) => inodeMap.isSame(inode, inodeOf(stat)),
      undone,
      signal,
    },
    changes,
  );
}

/** The paths that are applied, and those of which hunks are, which the branch must change. */
function pathsWanted({ changes }: ReadChanges, { paths, hunks = [] }: Wanted): readonly string[] | undefined {
  const ofHunks = hunks.map(({ path }) => path);
  assertChanged({ changes }, [...(paths ?? []), ...ofHunks]);
  return paths === undefined ? undefined : [...paths, ...ofHunks];
}

/** Decides for each change what becomes of it, of which only some hunks may be wanted. */
async function rulingsFor(
  parts: BranchParts,
  stored: StoredBranch,
  area: TransactionArea,
  all: ReadChanges,
  { paths, hunks = [] }: Wanted,
): Promise<Rulings> {
  const { changes } = choose(all, pathsWanted(all, { paths, hunks }));
  const rulings = await rulingsOf(parts, stored, area, changes);
  if (hunks.length === 0) return withoutParts(all, rulings);
  // Loaded on demand: mostly, files are applied as a whole.
  const { limitToHunks } = await import('./hunk-rulings.ts');
  const limited = await limitToHunks({ confinement: parts.confinement, upper: area.upper, shown: parts.shown ?? ((text) => text) }, rulings, hunks);
  return withoutParts(all, limited);
}

/** Whether a file gets the lines of both sides. */
const isMerged = (ruling: Ruling | undefined): boolean => ruling?.kind === 'mixed' && ruling.rest?.now !== 'own';

/** Notes what the workspace has of entries of which nothing is noted, in case that applying them is killed. */
function noteReplaced({ folder, record }: StoredBranch, rulings: Rulings): void {
  const began = BigInt(record.startedAt);
  const entries = [...rulings].flatMap(([{ location, before, isModeOnly }, ruling]) => {
    if (ruling.kind !== 'branch' || before === undefined) return [];
    const since = isModeOnly && before.isDirectory() ? began : ruling.unchangedSince;
    return since === undefined ? [] : [{ location, stat: before, since }];
  });
  Bases.replaced(folder.state, entries);
}

/** The changes of a branch, judged by the rules and the workspace as they are now. */
export async function openBranch(parts: TransactionParts, { folder, record }: StoredBranch): Promise<OpenChanges> {
  const area = new TransactionArea(folder.path);
  const command = commandOf(record);
  if (existsSync(folder.clone)) await parts.alone(async () => await refreshLayer(folder, parts));
  const read = await readArea(parts, area, command);
  // What is deleted of a branch below is nothing in the workspace.
  const withheld = read.withheld.filter(
    ({ location }) => look(joinNames(area.upper, location))?.isCharacterDevice() !== true || record.from === null,
  );
  return { area, read: { ...read, withheld }, startedAt: BigInt(record.startedAt), command };
}

/** What applying a branch would do. */
export async function readBranch(parts: BranchParts, stored: StoredBranch, wanted: Wanted = {}): Promise<ReadBranch> {
  const open = await openBranch(parts, stored);
  const { area } = open;
  const read = choose(open.read, pathsWanted(open.read, wanted));
  const rulings = await rulingsFor(parts, stored, area, open.read, wanted);
  const changes = read.changes.filter((change) => rulings.get(change)?.kind !== 'workspace');
  const conflicts = await conflictsOf(parts, { ...open, read: { ...read, changes }, expected: byPath(rulings).expected });
  const mixed = new Map([...rulings].flatMap(([{ location }, one]) => (one.kind === 'mixed' ? [[bytePath(location), one] as const] : [])));
  const merged = changes.filter((change) => isMerged(rulings.get(change))).map(({ path }) => path);
  const committed = new Map(
    [...rulings].flatMap(([{ location }, one]) =>
      one.kind === 'conflict' && one.committed !== undefined ? [[bytePath(location), one.committed] as const] : [],
    ),
  );
  return { open: { ...open, read: { ...read, changes } }, mixed, merged, conflicts: conflicts.map(conflictOf), committed };
}

/**
 * Applies a branch that nothing uses to its workspace, as one change that can be undone. Conflicts stay in the branch.
 *
 * @throws SynapseError `not_found` if one of the paths is not changed, `wrong_type` for a change that has no hunks, `conflict` if the branch
 *   changed since it was shown
 */
export async function applyBranch(parts: ApplyingParts, stored: StoredBranch, part: Wanted = {}): Promise<AppliedParts> {
  const { folder, record } = stored;
  const { areas, confinement } = parts;
  const command = commandOf(record);
  await refreshLayer(folder, parts);
  // An area of its own: what an undo needs of it stays when the branch is dropped.
  const area = makeArea(areas, confinement.root, command);
  lendLayer(stored, area);
  let rest: readonly PlannedEntry[] | undefined;
  let done: WorkspacePath[] = [];
  try {
    const first = await readArea(parts, area, command);
    if (part.fingerprint !== undefined && part.fingerprint !== first.fingerprint) throw changedSince(record);
    const paths = pathsWanted(first, part);
    const rulings = await rulingsFor(parts, stored, area, first, part);
    noteReplaced(stored, rulings);
    const isMixed = [...rulings.values()].some(({ kind }) => kind === 'mixed');
    putMixed(area.upper, folder, rulings);
    const { kept, isKept, expected } = byPath(rulings);
    const wanted = { ...choose(first, paths), changes: choose(first, paths).changes.filter((change) => !isKept(change)) };
    const startedAt = BigInt(record.startedAt);
    const brought = await bringAll(parts, { area, read: wanted, startedAt, command, expected }, record.name);
    // What was put into the layer is judged too.
    const read = isMixed || brought.length > 0 ? await readArea(parts, area, command) : first;
    const isReference = pathsOf(brought.map(({ repository, ref }) => [...repository, ...ref.split('/')]));
    const chosen = choose(read, paths, ({ location }) => isReference(bytePath(location)));
    const waits = waitsFor(brought);
    const changes = chosen.changes.filter((change) => !isKept(change) && !waits(change));
    const open = { area, read: { ...chosen, changes }, startedAt, command, expected: orReference(expected, brought) };
    const { plan, undo } = await exchangeAll(parts, open, false);
    // The files of a repository have a meaning together: where it waits, the branch has all of its own.
    const busy = new Set(plan.conflicts.flatMap(({ location }) => repositoryOf(location) ?? []));
    const dropped = kept.filter((change) => !waits(change) && !busy.has(repositoryOf(change.location) ?? ''));
    const isDropped = pathsOf(dropped.map(({ location }) => location));
    const others = read.changes.filter((change) => !isDropped(bytePath(change.location)) && !changes.includes(change));
    rest = [...plan.conflicts, ...plan.heldWithRepository, ...others];
    dropMarks(
      area,
      read.changes.filter((change) => !isDropped(bytePath(change.location))),
      rest,
      plan.steps.length,
    );
    await dropKept(area, dropped);
    const applied = plan.steps.flatMap(placesOf);
    done = [...applied, ...dropped.map(({ location }) => location)];
    const isApplied = pathsOf(applied);
    noteBrought(folder.state, brought);
    const commits = brought.map(({ repository, ref, commit }) => ({ repository: displayPath(repository), ref, commit }));
    const merged = [...rulings].flatMap(([{ location, path }, ruling]) => (isMerged(ruling) && isApplied(bytePath(location)) ? [path] : []));
    const rests = [...rulings].filter(([{ location }, one]) => one.kind === 'mixed' && one.rest !== undefined && isApplied(bytePath(location)));
    noteAbove(
      parts.above,
      confinement,
      changes.filter(({ location }) => isApplied(bytePath(location))),
    );
    const conflicts = plan.conflicts.map(conflictOf);
    const isConflict = new Set(plan.conflicts);
    const stays = rest.filter((change) => !isConflict.has(change));
    const inRepositories = stays.filter(({ location }) => repositoryOf(location) !== undefined).length;
    const left = { left: stays.length + rests.length, leftInRepositories: inRepositories };
    return { applied: plan.steps.length, merged, conflicts, held: [...busy], commits, ...left, undo };
  } finally {
    await giveBack(parts, area, stored, { rest, done });
  }
}

function pathsOf(locations: readonly WorkspacePath[]): (path: string) => boolean {
  const paths = new Set(locations.map(bytePath));
  return (path) => paths.has(path);
}

/** What was decided, by path: the changes are read again after mixed files are in their place. */
function byPath(rulings: Rulings): { kept: readonly PlannedEntry[]; isKept: (change: PlannedEntry) => boolean; expected: Expected } {
  const kept = [...rulings].flatMap(([change, { kind }]) => (kind === 'workspace' ? [change] : []));
  const isKept = pathsOf(kept.map(({ location }) => location));
  const known = new Map([...rulings].map(([{ location }, ruling]) => [bytePath(location), ruling]));
  return {
    kept,
    isKept: ({ location }) => isKept(bytePath(location)),
    expected(location) {
      const ruling = known.get(bytePath(location));
      if (ruling === undefined || ruling.kind === 'workspace') return undefined;
      return ruling.kind === 'conflict' ? 'conflict' : ruling.expected;
    },
  };
}

/** Removes entries of the branch that the workspace has too, or that do not differ from what it had. */
async function dropKept(area: TransactionArea, kept: readonly PlannedEntry[]): Promise<void> {
  using upper = new HandleConfinement(area.upper);
  for (const { location, before, now, isModeOnly } of kept) {
    using parent = upper.openDirectory(location.slice(0, -1));
    const name = location.at(-1) ?? '';
    if (isModeOnly && before !== undefined) chmodSync(parent.at(name), Number(before.mode) & 0o7777);
    else if (now?.isDirectory() === true) await removeByHandle(parent.self, name);
    else unlinkSync(parent.at(name));
  }
}

function changedSince({ name }: BranchRecord): SynapseError {
  return new SynapseError('conflict', `The branch ${name} changed since it was shown; nothing was applied.`, {
    hint: `Look again: synapse branch diff ${name}`,
    retryable: true,
  });
}

/** What became of the changes of a branch; `rest` is undefined if nothing was applied. */
interface Outcome {
  readonly rest: readonly PlannedEntry[] | undefined;
  /** The entries of which the branch has the version of the workspace now. */
  readonly done: readonly WorkspacePath[];
}

/** Gives a branch back what was not applied. */
async function giveBack(
  { confinement }: Pick<BranchParts, 'confinement'>,
  area: TransactionArea,
  { folder, record }: StoredBranch,
  { rest, done }: Outcome,
): Promise<void> {
  const rests = existsSync(area.upper) ? restoreMixed(area.upper, folder) : [];
  const isEmpty = rest?.length === 0 && rests.length === 0;
  if (!isEmpty && existsSync(area.upper)) {
    renameSync(area.upper, folder.upper);
    const isRest = pathsOf(rests);
    const whole = done.filter((location) => !isRest(bytePath(location)));
    if (whole.length > 0) await settle(confinement, folder, whole);
  } else {
    mkdirSync(folder.upper, { mode: 0o700 });
    prepareLayer(folder.upper, record.root);
    await beginAnew({ folder, record });
  }
  await area.settle();
  rmSync(folder.applying, { force: true });
}

/** Notes that a branch has the version of the workspace of some entries. */
async function settle(confinement: Confinement, folder: BranchFolder, done: readonly WorkspacePath[]): Promise<void> {
  const at = await kernelTick(folder.path);
  const manifest = CloneManifest.of(folder);
  if (manifest !== undefined) {
    const { settleClone } = await import('./settle-clone.ts');
    // What was applied is applied: this does not stop in the middle.
    await settleClone(folder, manifest, confinement, done, new AbortController().signal);
  }
  Bases.applied(
    folder.state,
    done.map((location) => ({ location, at })),
  );
}
