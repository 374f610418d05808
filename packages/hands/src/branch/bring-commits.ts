import { chmodSync, constants, copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { CommitStore } from '../transaction/commit-store.ts';
import type { References } from '../git/references.ts';
import { otherTips } from './other-tips.ts';
import { openIfThere, openSides, type RepositorySides, type SidesParts } from './repository-sides.ts';

/** Other names that are tried if a reference is in use. */
const MAX_NAMES = 20;
const BRANCHES = ['refs', 'heads'] as const;
const OWN = 'synapse';

/** Commits of a branch that go to a workspace whose HEAD moved meanwhile. */
export interface BroughtCommits {
  /** The repository, as a path of the workspace. */
  readonly repository: WorkspacePath;
  /** The reference, such as `refs/heads/synapse/fix`. */
  readonly ref: string;
  /** The newest commit. */
  readonly commit: string;
  /** The commit that the workspace was at; undefined if there was none. */
  readonly head: string | undefined;
  /** The ctime of the file that the reference has now, in nanoseconds; undefined if it has none. */
  readonly changed: bigint | undefined;
  /** Whether it is the commit that the branch is at, and not that of another branch of git. */
  readonly isOfHead: boolean;
}

/**
 * Brings the commits of a branch to a repository of the workspace that something else changed meanwhile: first their objects, which are only
 * added, then references of its own, which are put into the layer to be applied: one for HEAD, and one for each other branch of git. Nothing of the rest of the repository changes.
 *
 * @returns none if there are none, or if they cannot be brought: then the repository waits as a whole
 */
export async function bringCommits(parts: SidesParts, area: TransactionArea, repository: WorkspacePath, branch: string): Promise<BroughtCommits[]> {
  using sides = await orNothing(parts.signal, async () => await openSides(parts, area, repository));
  if (sides === undefined) return [];
  const { tip, head, store } = sides;
  const brought: BroughtCommits[] = [];
  const bring = async (commit: string, name: string, isOfHead: boolean): Promise<void> => {
    const isTaken = (ref: string): boolean => brought.some((one) => one.ref === ref);
    const wanted = { repository, commit, name, isOfHead, isTaken };
    const one = await orNothing(parts.signal, async () => await bringTip(sides, parts.confinement, wanted));
    if (one !== undefined) brought.push(one);
  };
  const isMerged = head !== undefined && (tip === head || (await store.isAncestor(tip, head)));
  if (!isMerged) await bring(tip, branch, true);
  if (!isMerged && brought.length === 0) return [];
  const others = await orNothing(parts.signal, async () => await otherTips(sides, repository, parts.signal));
  for (const { commit, end } of others ?? []) await bring(commit, `${branch}${end}`, false);
  return brought;
}

/** What work returns; undefined if something is not as a repository has it. What the branch has of it stays in the branch. */
async function orNothing<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/** Commits that get a reference. */
interface WantedTip {
  readonly repository: WorkspacePath;
  readonly commit: string;
  /** The name that is tried first. */
  readonly name: string;
  readonly isOfHead: boolean;
  /** Whether other commits got a reference. */
  readonly isTaken: (ref: string) => boolean;
}

async function bringTip(
  { upper, there, theirs, head, store }: RepositorySides,
  workspace: Confinement,
  { repository, commit, name: wanted, isOfHead, isTaken }: WantedTip,
): Promise<BroughtCommits | undefined> {
  const name = await freeName(theirs, wanted, commit, store, isTaken);
  if (name === undefined) return undefined;
  const ref = [...BRANCHES, OWN, name];
  // Before the value is read again: what moves the reference from here on is found when it is replaced.
  const changed = lstatSync(there.at(ref.join('/')), { bigint: true, throwIfNoEntry: false })?.ctimeNs;
  const brought = { repository, ref: ref.join('/'), commit, head, changed, isOfHead };
  const value = theirs.get(brought.ref);
  if (value === commit) return brought;
  if (value !== undefined && !(await store.isAncestor(value, commit))) return undefined;
  const pack = await store.pack(commit, head);
  if (pack === undefined) return undefined;
  addPack(there, pack);
  makeOwnFolder(there);
  putReference(upper, workspace, [...repository, ...ref], commit);
  return brought;
}

/** A name below {@link OWN} that is free, or has an older commit of the same branch. */
async function freeName(
  refs: References,
  branch: string,
  tip: string,
  store: CommitStore,
  isTaken: WantedTip['isTaken'],
): Promise<string | undefined> {
  if (refs.get([...BRANCHES, OWN].join('/')) !== undefined) return undefined;
  for (let count = 1; count < MAX_NAMES; count += 1) {
    const name = count === 1 ? branch : `${branch}-${count}`;
    const ref = [...BRANCHES, OWN, name].join('/');
    if (isTaken(ref)) continue;
    const there = refs.get(ref);
    if (there === undefined || there === tip || (await store.isAncestor(there, tip))) return name;
  }
  return undefined;
}

/** Adds a pack to a repository, its index last: git takes a pack for complete once it has one. */
function addPack(there: PinnedDirectory, pack: string): void {
  using objects = there.child('objects');
  if (!existsSync(objects.at('pack'))) mkdirSync(objects.at('pack'));
  using folder = objects.child('pack');
  const temporary = folder.at(`tmp_synapse_${processIdentity().replace(' ', '-')}`);
  for (const end of ['.pack', '.rev', '.idx']) {
    if (!existsSync(`${pack}${end}`)) continue;
    copyFileSync(`${pack}${end}`, temporary, constants.COPYFILE_EXCL);
    try {
      chmodSync(temporary, 0o444);
      linkSync(temporary, folder.at(pack.slice(pack.lastIndexOf('/') + 1) + end));
    } catch (error) {
      // The same commits were brought before.
      if (errnoOf(error) !== 'EEXIST') throw error;
    } finally {
      unlinkSync(temporary);
    }
  }
}

/** Without the folder, all references that the branch has in it would be one change. */
function makeOwnFolder(there: PinnedDirectory): void {
  using refs = there.child(BRANCHES[0]);
  using heads = refs.child(BRANCHES[1]);
  if (lstatSync(heads.at(OWN), { throwIfNoEntry: false }) === undefined) mkdirSync(heads.at(OWN));
}

/** Writes a reference into a layer, in folders with the permissions that the workspace gives to them. */
function putReference(upper: Confinement, workspace: Confinement, location: WorkspacePath, commit: string): void {
  for (let depth = 1; depth < location.length; depth += 1) {
    using parent = upper.openDirectory(location.slice(0, depth - 1));
    const at = parent.at(location[depth - 1] ?? '');
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) continue;
    if (stat !== undefined) unlinkSync(at);
    mkdirSync(at);
    using beside = openIfThere(workspace, location.slice(0, depth));
    if (beside !== undefined) chmodSync(at, statSync(beside.self).mode & 0o7777);
  }
  using folder = upper.openDirectory(location.slice(0, -1));
  const at = folder.at(location.at(-1) ?? '');
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) unlinkSync(at);
  writeFileSync(at, `${commit}\n`, { flag: 'wx', mode: 0o644 });
}
