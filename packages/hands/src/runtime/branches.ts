import * as z from 'zod';
import { SynapseError, type CallResult } from '@synapse/protocol';
import type { AppliedBranch, BranchParts } from '../branch/apply-branch.ts';
import { BranchConflict, describeConflict } from '../branch/branch-conflict.ts';
import { BranchStore, isApplying, type StoredBranch } from '../branch/branch-store.ts';
import type { HunkChoice } from '../branch/hunk-rulings.ts';
import { shownBelow } from '../branch/branch-state.ts';
import type { ShownConflict } from '../branch/show-conflict.ts';
import type { Choice } from '../branch/resolve-conflict.ts';
import { choiceInput, resolveTool } from './resolve-branch-tool.ts';
import { whileUnused } from '../branch/while-unused.ts';
import type { CallOptions } from '../call/call.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { JournalDatabase } from '../journal/journal-database.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { showChanges } from '../transaction/show-changes.ts';
import { placesOf } from '../workspace/changes/step.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ToolRegistry } from './registry.ts';
import type { Runtime } from './runtime.ts';

/** A branch of a workspace. */
export interface BranchInfo {
  readonly name: string;
  /** The branch that it is based on; null for the workspace. */
  readonly from: string | null;
  /** ISO 8601. */
  readonly created: string;
}

/** A part of what was changed in a branch. */
export interface BranchPart {
  /** Only these entries, and what is in them. Default: all */
  readonly paths?: readonly string[];
  /** Only these hunks of some text files, of which the rest stays in the branch. */
  readonly hunks?: readonly HunkChoice[];
}

/** What of a branch is applied. */
export interface AppliedPart extends BranchPart {
  /** The {@link ShownBranch.fingerprint} of what was shown: if the branch changed since, nothing is applied. Default: it is applied as it is. */
  readonly fingerprint?: string;
}

/** What applying a branch would change, and what it would leave. */
export interface ShownBranch extends ShownEffect {
  /** Files that get what both sides changed. Their diffs show what is added to the workspace. */
  readonly merged: readonly string[];
  /** What both sides changed: it would not be applied. */
  readonly conflicts: readonly BranchConflict[];
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
   *   before that call. Default: the workspace as it is
   * @throws SynapseError `already_exists` for a name in use, `invalid_arguments` for a name that a branch cannot have, `not_found` for a call
   *   that is unknown or that the undo journal does not reach
   * @example
   * await hands.createBranch('fix-login');
   */
  createBranch(name: string, options?: { readonly from?: string; readonly at?: string }): Promise<BranchInfo>;
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
   * @throws SynapseError `not_found` for an unknown name, `busy` while a process uses it
   */
  dropBranch(name: string): Promise<BranchInfo>;
}

const Hunks = z.strictObject({ path: z.string(), take: z.array(z.int().min(1)).min(1), seen: z.array(z.string()).exactOptional() });

type Part = { readonly [Field in keyof AppliedPart]: AppliedPart[Field] | undefined };

/** The part as arguments of a call. */
const partInput = ({ paths, hunks = [], fingerprint }: Part): Record<string, unknown> => ({
  ...(paths === undefined ? {} : { paths: [...paths] }),
  ...(hunks.length === 0 ? {} : { hunks: hunks.map((one) => ({ ...one })) }),
  ...(fingerprint === undefined ? {} : { fingerprint }),
});

/** Which branch is applied, and by which call. */
interface Applying {
  readonly name: string;
  readonly paths?: BranchPart['paths'] | undefined;
  readonly hunks?: BranchPart['hunks'] | undefined;
  readonly fingerprint?: string | undefined;
  /** Whether the branch is one of the call itself, and ends with it. */
  readonly isOwn?: boolean;
  /** The workspace as the call sees it, in whose journal the changes are. */
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Applies a branch, as a change of a call. */
export async function applyStored(
  runtime: Runtime,
  store: BranchStore,
  { name, isOwn = false, workspace, signal, ...part }: Applying,
): Promise<AppliedBranch> {
  const stored = store.get(name);
  const { applyBranch } = await import('../branch/apply-branch.ts');
  const { finishApply } = await import('../branch/finish-apply.ts');
  const { keepingWriters } = await import('../blame/keep-writers.ts');
  const database = (): JournalDatabase => runtime.powers.journal.database;
  const parts = keepingWriters(runtime.commands.pendingParts(workspace, signal), { stored, log: store.logOf(stored), isOwn, database });
  return await parts.alone(async () => {
    const above = store.basedOn(stored);
    return await whileUnused(runtime.powers.locks, [stored, ...above], signal, async () => {
      await finishApply(parts, stored);
      store.assertFirst(name);
      return await applyBranch({ ...parts, undone: undoneIn(runtime), shown: await shownIn(runtime), above }, stored, part);
    });
  });
}

/** Applies a branch. A tool, so that the change is recorded and journaled; not offered to models, because a person decides. */
function applyTool(runtime: Runtime, store: BranchStore) {
  return defineTool({
    name: 'apply_branch',
    title: 'Apply a branch',
    description: 'Apply what was changed in a branch to the workspace.',
    effects: 'write',
    destructive: true,
    input: z.strictObject({
      name: z.string(),
      paths: z.array(z.string()).min(1).optional(),
      fingerprint: z.string().optional(),
      hunks: z.array(Hunks).min(1).optional(),
    }),
    output: z.strictObject({
      applied: z.int(),
      merged: z.array(z.string()),
      conflicts: z.array(BranchConflict),
      commits: z.array(z.strictObject({ repository: z.string(), ref: z.string(), commit: z.string() })),
      left: z.int(),
      undo: z.union([z.literal(true), z.string()]),
    }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ name }, { applied }) => `apply_branch(${name}) → ${count(applied, 'change')}`,
    async execute({ name, paths, hunks, fingerprint }, { workspace, signal }) {
      const done = await applyStored(runtime, store, { name, paths, hunks, fingerprint, workspace, signal });
      return {
        data: { ...done, merged: [...done.merged], conflicts: [...done.conflicts], commits: [...done.commits] },
        content: describe(name, done),
      };
    },
  });
}

const undoneIn =
  ({ powers: { journal } }: Runtime): BranchParts['undone'] =>
  (since) =>
    journal.database.undoneAcross(since).flatMap(({ steps }) => steps.flatMap(placesOf));

/** The text of a hunk as {@link Branches.showBranch} of the hands shows it. */
async function shownIn({ secretMask }: Runtime): Promise<NonNullable<BranchParts['shown']>> {
  const mask = await secretMask();
  return (text) => mask?.text(text) ?? text;
}

function describe(name: string, { applied, merged, conflicts, commits, left, undo }: AppliedBranch): string {
  return [
    `${count(applied, 'change')} applied.`,
    ...merged.map((path) => `Merged: ${path}`),
    ...conflicts.map((conflict) => `Not applied: ${describeConflict(conflict)}. Both versions are kept.`),
    ...commits.map(
      ({ repository, ref }) =>
        `Something else changed ${repository} meanwhile: the commits are in ${ref.replace('refs/heads/', '')}, and the rest of it stays in the branch.`,
    ),
    ...(left === 0 ? [] : [`${count(left, 'other change')} of ${name} ${left === 1 ? 'stays' : 'stay'} in the branch.`]),
    ...(undo === true ? [] : [`This cannot be undone: ${undo}.`]),
  ].join('\n');
}

/** @throws SynapseError `unavailable` for hands that work in a branch: there, the workspace is the branch */
export function assertOutside(stateFolder: string): void {
  if (shownBelow(stateFolder) === undefined) return;
  throw new SynapseError('unavailable', 'Branches are made, applied and deleted outside of a branch.', {
    hint: 'Use another terminal, or leave --branch out.',
  });
}

const told = ({ record: { name, from, created } }: StoredBranch): BranchInfo => ({ name, from, created });

/** Creates the methods of hands for branches. */
export function createBranches(runtime: Runtime, stateFolder: string): Branches {
  const store = new BranchStore(stateFolder, runtime.confinement.root);
  const registry = new ToolRegistry([
    applyTool(runtime, store),
    resolveTool((workspace, signal) => ({ ...runtime.commands.pendingParts(workspace, signal), undone: undoneIn(runtime) }), store),
  ]);
  const endOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? runtime.closing : AbortSignal.any([runtime.closing, signal]);
  /** A branch by its name. What a kill left of applying it is finished or taken back before. */
  const whole = async (name: string, signal: AbortSignal): Promise<StoredBranch> => {
    const stored = store.get(name);
    if (!isApplying(stored)) return stored;
    const { finishApply } = await import('../branch/finish-apply.ts');
    const parts = runtime.commands.pendingParts(undefined, signal);
    await parts.alone(async () => await whileUnused(runtime.powers.locks, [stored], signal, async () => await finishApply(parts, stored)));
    return store.get(name);
  };
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
    async createBranch(name, { from, at } = {}) {
      assertOpen(runtime.closing);
      assertOutside(stateFolder);
      if (at === undefined) return told(await store.create(name, from));
      if (from !== undefined)
        throw new SynapseError('invalid_arguments', 'A branch of the past is one of the workspace.', { hint: 'Give `at` or `from`, not both.' });
      const { makePastBranch } = await import('./past-branch.ts');
      const { locks, attributes } = runtime.powers;
      return told(await makePastBranch({ stateFolder, store, locks, attributes, signal: runtime.closing }, name, at));
    },
    compareBranches: compare,
    async showBranch(name, { signal, ...part } = {}) {
      assertOpen(runtime.closing);
      const ended = endOf(signal);
      const parts = runtime.commands.pendingParts(undefined, ended);
      const { readBranch } = await import('../branch/apply-branch.ts');
      const { open, mixed, merged, conflicts } = await readBranch(
        { ...parts, undone: undoneIn(runtime), shown: await shownIn(runtime) },
        await whole(name, ended),
        part,
      );
      const { fingerprint } = open.read;
      const [, base] = store.chain(name);
      if (base !== undefined && part.paths === undefined && part.hunks === undefined && store.before(name) !== undefined) {
        const compared = await compare(base.record.name, name, { signal: ended });
        return { ...compared, merged: [], conflicts: [], fingerprint, comparedWith: base.record.name };
      }
      const shown = await showChanges(parts, open, ended, (location) => mixed.get(bytePath(location)));
      return { ...shown, merged, conflicts, fingerprint, comparedWith: null };
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
    async dropBranch(name) {
      assertOpen(runtime.closing);
      assertOutside(stateFolder);
      const stored = await whole(name, runtime.closing);
      await whileUnused(runtime.powers.locks, [stored], runtime.closing, async () => await store.remove(stored));
      return told(stored);
    },
  };
}
