import { SynapseError, type CallResult } from '@synapse/protocol';
import type { AppliedBranch, ReadBranch } from '../branch/apply-branch.ts';
import type { BranchConflict, HeldRepository } from '../branch/branch-conflict.ts';
import { BranchStore, isApplying, type StoredBranch } from '../branch/branch-store.ts';
import { shownBelow } from '../branch/branch-state.ts';
import type { ShownConflict } from '../branch/show-conflict.ts';
import type { Choice } from '../branch/resolve-conflict.ts';
import { whileUnused } from '../branch/while-unused.ts';
import type { CallOptions } from '../call/call.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { showChanges } from '../transaction/show-changes.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { applyTool, partInput, shownIn, undoneIn, type AppliedPart, type BranchPart } from './apply-branch-tool.ts';
import { ToolRegistry } from './registry.ts';
import { choiceInput, resolveTool } from './resolve-branch-tool.ts';
import type { Runtime } from './runtime.ts';

/** A branch of a workspace. */
export interface BranchInfo {
  readonly name: string;
  /** The branch that it is based on; null for the workspace. */
  readonly from: string | null;
  /** ISO 8601. */
  readonly created: string;
}

/** What applying a branch would change, and what it would leave. */
export interface ShownBranch extends ShownEffect {
  /** Files that get what both sides changed. Their diffs show what is added to the workspace. */
  readonly merged: readonly string[];
  /** What both sides changed: it would not be applied. */
  readonly conflicts: readonly BranchConflict[];
  /** Repositories that have conflicts. What was changed in them is not listed otherwise. */
  readonly held: readonly HeldRepository[];
  /** Identifies all that the branch changed. */
  readonly fingerprint: string;
  /** The branch with changes that it is based on: all that was changed is compared with that one, which is applied before. Null: with the workspace */
  readonly comparedWith: string | null;
}

/** A conflict for which a version was chosen. */
export interface ResolvedConflict extends BranchConflict {
  readonly take: 'branch' | 'workspace' | 'content' | 'places';
}

/** Branches: copy-on-write copies of the workspace that live as long as someone needs them. */
export interface Branches {
  /** All branches, by name. */
  branches(): readonly BranchInfo[];
  /**
   * Creates a branch of the workspace. It takes no time and no space: files are copied when they are changed.
   *
   * @param options `from`: the branch that it is based on. `at`: the id of a call, or the beginning of it, for the workspace as it was right
   *   before that call. Default: the workspace as it is. `signal`: ends it, and there is no branch then
   * @throws SynapseError `already_exists` for a name in use, `invalid_arguments` for a name that a branch cannot have, `not_found` for a call
   *   that is unknown or that the undo journal does not reach
   * @example
   * await hands.createBranch('fix-login');
   */
  createBranch(name: string, options?: { readonly from?: string; readonly at?: string; readonly signal?: AbortSignal }): Promise<BranchInfo>;
  /**
   * What was changed in a branch, with diffs, judged by the rules and the workspace as they are now. All changes of a branch that is based on
   * one with changes are compared with that one.
   *
   * @param options which part of it. Default: all
   * @throws SynapseError `not_found` for an unknown name, or a path that the branch does not change
   */
  showBranch(name: string, options?: BranchPart & { readonly signal?: AbortSignal }): Promise<ShownBranch>;
  /**
   * What differs between two branches, as the changes that make the second one of the first.
   *
   * @throws SynapseError `not_found` for an unknown name
   * @example
   * const { changes } = await hands.compareBranches('first', 'second');
   */
  compareBranches(name: string, other: string, options?: { readonly signal?: AbortSignal }): Promise<ShownEffect>;
  /**
   * Applies a branch to the workspace, as one change that can be undone. A text that both sides changed is merged by lines. Where they changed
   * the same, the branch keeps its version and the workspace keeps its own. A branch that is based on one with changes is applied after that one.
   *
   * @param options which part of it. Default: all. The rest stays in the branch
   * @example
   * await hands.applyBranch('fix-login', { paths: ['src/login.ts'], hunks: [{ path: 'src/login.ts', take: [1, 3] }] });
   */
  applyBranch(name: string, options?: CallOptions & AppliedPart): Promise<CallResult<AppliedBranch>>;
  /**
   * A conflict with its three versions: the one that the branch began with, that of the branch, and that of the workspace.
   *
   * @throws SynapseError `not_found` if there is no such conflict
   * @example
   * const { versions, places } = await hands.showConflict('fix-login', 'src/login.ts');
   */
  showConflict(name: string, path: string, options?: { readonly signal?: AbortSignal }): Promise<ShownConflict>;
  /**
   * Chooses what counts of what both sides of a branch changed: the version of the branch or of the workspace, a content that has both, or the lines
   * of both with a side for each place that both changed. The next {@link applyBranch} takes it, if neither side was changed since.
   *
   * @throws SynapseError `not_found` if there is no such conflict
   * @example
   * await hands.resolveBranch('fix-login', 'src/login.ts', { places: ['branch', 'both'] });
   */
  resolveBranch(name: string, path: string, choice: Choice, options?: CallOptions): Promise<CallResult<ResolvedConflict>>;
  /**
   * Finishes applying branches, or takes it back, where Synapse was ended meanwhile. The other methods do so for the branch that they name.
   *
   * @returns the names of these branches
   */
  repairBranches(): Promise<readonly string[]>;
  /**
   * Deletes a branch and what was changed in it.
   *
   * @param options `changes`: the number of changes that a person agreed to delete; with another number, nothing is deleted. Default: the number is
   *   not compared
   * @throws SynapseError `not_found` for an unknown name, `busy` while a process uses it, `conflict` if it has another number of changes
   */
  dropBranch(name: string, options?: { readonly changes?: number }): Promise<BranchInfo>;
}

/** @throws SynapseError `unavailable` for hands that work in a branch: there, the workspace is the branch */
export function assertOutside(stateFolder: string): void {
  if (shownBelow(stateFolder) === undefined) return;
  throw new SynapseError('unavailable', 'Branches are made, applied and deleted outside of a branch.', {
    hint: 'Use another terminal, or leave --branch out.',
  });
}

const told = ({ record: { name, from, created } }: StoredBranch): BranchInfo => ({ name, from, created });

/** A branch by its name. What a kill left of applying it is finished or taken back before. */
async function wholeBranch(runtime: Runtime, store: BranchStore, name: string, signal: AbortSignal): Promise<StoredBranch> {
  const stored = store.get(name);
  if (!isApplying(stored)) return stored;
  const { finishApply } = await import('../branch/finish-apply.ts');
  const parts = runtime.commands.pendingParts(undefined, signal);
  await parts.alone(async () => await whileUnused(runtime.powers.locks, [stored], signal, async () => await finishApply(parts, stored)));
  return store.get(name);
}

/** What applying a branch would change in the workspace, and what it would leave there. */
async function shownApply(parts: ReturnType<Runtime['commands']['pendingParts']>, read: ReadBranch, signal: AbortSignal): Promise<ShownBranch> {
  const { open, mixed, merged, conflicts } = read;
  const { heldRepositories, withoutHeld } = await import('../branch/held-repositories.ts');
  const divided = withoutHeld(open.read, conflicts);
  const held = await heldRepositories(parts, open, divided.held);
  const shown = await showChanges(parts, { ...open, read: divided.rest }, signal, (location) => mixed.get(bytePath(location)));
  return { ...shown, merged, conflicts, held, fingerprint: open.read.fingerprint, comparedWith: null };
}

/** Creates the methods of hands for branches. */
export function createBranches(runtime: Runtime, stateFolder: string): Branches {
  const store = new BranchStore(stateFolder, runtime.confinement.root);
  const registry = new ToolRegistry([
    applyTool(runtime, store),
    resolveTool((workspace, signal) => ({ ...runtime.commands.pendingParts(workspace, signal), undone: undoneIn(runtime) }), store),
  ]);
  const endOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? runtime.closing : AbortSignal.any([runtime.closing, signal]);
  const whole = async (name: string, signal: AbortSignal): Promise<StoredBranch> => await wholeBranch(runtime, store, name, signal);
  const compare: Branches['compareBranches'] = async (name, other, { signal } = {}) => {
    assertOpen(runtime.closing);
    const ended = endOf(signal);
    for (const { record } of [...store.chain(name), ...store.chain(other)]) await whole(record.name, ended);
    const { compareBranches } = await import('../branch/compare-branches.ts');
    return await compareBranches(runtime.commands.pendingParts(undefined, ended), store.chain(name), store.chain(other), ended);
  };
  return {
    branches() {
      assertOpen(runtime.closing);
      return store.list().map(told);
    },
    async createBranch(name, { from, at, signal } = {}) {
      assertOpen(runtime.closing);
      signal?.throwIfAborted();
      assertOutside(stateFolder);
      if (at === undefined) return told(await store.create(name, from));
      if (from !== undefined)
        throw new SynapseError('invalid_arguments', 'A branch of the past is one of the workspace.', { hint: 'Give `at` or `from`, not both.' });
      const { makePastBranch } = await import('./past-branch.ts');
      const { locks, attributes } = runtime.powers;
      return told(await makePastBranch({ stateFolder, store, locks, attributes, signal: endOf(signal) }, name, at));
    },
    compareBranches: compare,
    async showBranch(name, { signal, ...part } = {}) {
      assertOpen(runtime.closing);
      const ended = endOf(signal);
      const parts = runtime.commands.pendingParts(undefined, ended);
      const { readBranch } = await import('../branch/apply-branch.ts');
      const read = await readBranch({ ...parts, undone: undoneIn(runtime), shown: await shownIn(runtime) }, await whole(name, ended), part);
      const [, base] = store.chain(name);
      if (base !== undefined && part.paths === undefined && part.hunks === undefined && store.before(name) !== undefined) {
        const compared = await compare(base.record.name, name, { signal: ended });
        return { ...compared, merged: [], conflicts: [], held: [], fingerprint: read.open.read.fingerprint, comparedWith: base.record.name };
      }
      return await shownApply(parts, read, ended);
    },
    async showConflict(name, path, { signal } = {}) {
      assertOpen(runtime.closing);
      const ended = endOf(signal);
      const parts = { ...runtime.commands.pendingParts(undefined, ended), undone: undoneIn(runtime) };
      const { showConflict } = await import('../branch/show-conflict.ts');
      return await showConflict(parts, await whole(name, ended), path);
    },
    async applyBranch(name, { paths, hunks, fingerprint, ...options } = {}) {
      assertOutside(stateFolder);
      const input = { name, ...partInput({ paths, hunks, fingerprint }) };
      return (await runCall(runtime, 'apply_branch', input, options, registry)) as CallResult<AppliedBranch>;
    },
    async resolveBranch(name, path, choice, options = {}) {
      assertOutside(stateFolder);
      return (await runCall(runtime, 'resolve_branch', { name, path, ...choiceInput(choice) }, options, registry)) as CallResult<ResolvedConflict>;
    },
    async repairBranches() {
      assertOpen(runtime.closing);
      const names: string[] = [];
      for (const { record } of store.applying()) {
        await whole(record.name, runtime.closing);
        names.push(record.name);
      }
      return names;
    },
    async dropBranch(name, { changes } = {}) {
      assertOpen(runtime.closing);
      assertOutside(stateFolder);
      const stored = await whole(name, runtime.closing);
      await whileUnused(runtime.powers.locks, [stored], runtime.closing, async () => await store.remove(stored, changes));
      return told(stored);
    },
  };
}
