import { readdirSync } from 'node:fs';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { nameFromBytes } from '../workspace/byte-name.ts';
import { inverseOf, loadPath, placesOf } from '../workspace/changes/step.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { StepPowers } from './apply-step.ts';
import type { JournalEntry } from './journal-database.ts';
import { fileTimeBefore } from './needed-objects.ts';
import { isPutBackFrom } from './whole-entry.ts';

/** A branch of git, or a folder of some. */
const BRANCH = /^(?<repository>(?:.*\/)?[^/]*\.git)\/refs\/heads\/(?<name>.+)$/iu;
const HEAD = /^ref: refs\/heads\/(?<name>.+)$/u;
const MAX_HEAD_BYTES = 4_096;

/**
 * The error for the undo of calls that made a branch of git which was checked out since; undefined if there is none. Without the branch, the worktree
 * would be one without commits. If HEAD is as old as the call, it was one before.
 */
export function checkedOutProblem(entries: readonly JournalEntry[], powers: StepPowers): SynapseError | undefined {
  const gone = branchesGone(entries);
  if (gone.length === 0) return undefined;
  const own = new Set(entries.flatMap(({ steps }) => steps.flatMap(placesOf)).map(bytePath));
  const isOwn = (place: WorkspacePath): boolean => [...foldersAround(place), place].some((one) => own.has(bytePath(one)));
  const since = fileTimeBefore(Math.min(...entries.map(({ time }) => time)));
  for (const [key, repository] of new Map(gone.map((branch) => [bytePath(branch.repository), branch.repository]))) {
    const names = gone.filter((branch) => bytePath(branch.repository) === key).map(({ name }) => name);
    for (const head of headsOf(powers.confinement, repository)) {
      const branch = isOwn(head) ? undefined : branchIn(powers, head, since);
      if (branch !== undefined && names.some((name) => branch === name || branch.startsWith(`${name}/`))) return checkedOut(branch);
    }
  }
  return undefined;
}

interface GoneBranch {
  readonly repository: WorkspacePath;
  /** As git calls it. */
  readonly name: string;
}

/** The branches, and folders of branches, that the undo of calls removes. */
function branchesGone(entries: readonly JournalEntry[]): GoneBranch[] {
  const isThere = new Map<string, { readonly path: WorkspacePath; readonly after: boolean }>();
  for (const step of entries.flatMap(({ steps }) => inverseOf(steps))) {
    const set = (path: WorkspacePath, after: boolean): void => void isThere.set(bytePath(path), { path, after });
    if (step.kind === 'set') set(loadPath(step.path), step.after !== null);
    else {
      set(loadPath(step.from), false);
      set(loadPath(step.to), true);
    }
  }
  return [...isThere.values()].flatMap(({ path, after }): GoneBranch[] => {
    const { repository, name } = BRANCH.exec(bytePath(path))?.groups ?? {};
    if (after || repository === undefined || name === undefined) return [];
    return [{ repository: path.slice(0, repository.split('/').length), name: Buffer.from(name, 'latin1').toString() }];
  });
}

/** The files that say what is checked out: that of the repository, and those of its other worktrees. */
function headsOf(confinement: Confinement, repository: WorkspacePath): WorkspacePath[] {
  const worktrees = [...repository, 'worktrees'];
  const names = within(confinement, worktrees, (folder) => readdirSync(folder.self, 'buffer')) ?? [];
  return [[...repository, 'HEAD'], ...names.map((name) => [...worktrees, nameFromBytes(name), 'HEAD'])];
}

/** The branch that a file names, if it was changed since a time. */
function branchIn(powers: StepPowers, head: WorkspacePath, since: bigint): string | undefined {
  return within(powers.confinement, head.slice(0, -1), (folder) => {
    const { bytes, stat } = readRegular(folder.at(head.at(-1) ?? ''), MAX_HEAD_BYTES) ?? {};
    if (stat === undefined || stat.ctimeNs < since || isPutBackFrom(powers, stat, since)) return undefined;
    return HEAD.exec(bytes?.toString().trim() ?? '')?.groups?.['name'];
  });
}

/** Looks into a folder; undefined if there is none, or if it cannot be read. */
function within<Found>(confinement: Confinement, location: WorkspacePath, look: (folder: PinnedDirectory) => Found): Found | undefined {
  try {
    using folder = confinement.openDirectory(location);
    return look(folder);
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

const checkedOut = (branch: string): SynapseError =>
  new SynapseError('conflict', `The branch ${branch} is checked out by now; nothing was undone.`, {
    hint: 'Check out another branch first (git switch).',
    details: { branch },
  });
