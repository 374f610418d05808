import * as z from 'zod';
import type { CallResult } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { describeHeld, outsideHeld } from '../branch/branch-conflict.ts';
import type { BroughtCommits } from '../branch/bring-commits.ts';
import type { CallOptions } from '../call/call.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { ToolRegistry } from './registry.ts';
import type { Runtime } from './runtime.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { OpenChanges } from '../transaction/apply-changes.ts';
import { repositoryOf } from '../transaction/plan-changes.ts';
import { showChanges } from '../transaction/show-changes.ts';
import type { AppliedChanges, PendingChanges } from '../transaction/transaction.ts';
import { displayPath } from '../workspace/byte-name.ts';

/** Changes by commands that wait for approval; see `meta.pending` of a result. */
export interface Pending {
  /** All pending changes, oldest first. */
  pendingChanges(): readonly PendingChanges[];
  /**
   * Pending changes with diffs, judged by the rules and the workspace as they are now.
   *
   * @throws SynapseError `not_found` for an unknown handle
   */
  showPending(handle: string, options?: { readonly signal?: AbortSignal }): Promise<ShownEffect>;
  /**
   * Applies pending changes, as one change that can be undone. A person decided, so no rule asks about it. Denied changes
   * are left out, and conflicting ones wait under a new handle.
   *
   * @example
   * for (const { handle } of hands.pendingChanges()) await hands.applyPending(handle);
   */
  applyPending(handle: string, options?: CallOptions): Promise<CallResult<AppliedChanges>>;
  /**
   * Deletes pending changes permanently.
   *
   * @throws SynapseError `not_found` for an unknown handle
   */
  dropPending(handle: string): Promise<PendingChanges>;
}

/**
 * Applies pending changes. A tool, so that the change is recorded and journaled; not offered to models, because a
 * person decides.
 */
function applyTool(runtime: Runtime) {
  return defineTool({
    name: 'apply_changes',
    title: 'Apply pending changes',
    description: 'Apply what a command changed on its copy.',
    effects: 'write',
    destructive: true,
    input: z.strictObject({ handle: z.string() }),
    output: z.strictObject({
      applied: z.int(),
      conflicts: z.array(z.strictObject({ path: z.string(), handle: z.string() })),
      heldWithRepository: z.int(),
      commits: z.array(z.strictObject({ repository: z.string(), ref: z.string(), commit: z.string() })).exactOptional(),
      undo: z.union([z.literal(true), z.string()]),
    }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ handle }, { applied }) => `apply_changes(${handle}) → ${count(applied, 'change')}`,
    async execute({ handle }, { workspace, signal }) {
      const parts = runtime.commands.pendingParts(workspace, signal);
      const open = await runtime.powers.pending.open(handle, parts);
      let commits: readonly BroughtCommits[] = [];
      const { applied, conflicts, heldWithRepository, undo } = await open.apply(async (changes) => {
        // Loaded on demand: mostly, they change no repository.
        if (!changesRepository(changes)) return changes;
        const { withCommits } = await import('../branch/bring-all.ts');
        const brought = await withCommits(parts, changes, handle);
        commits = brought.commits;
        return brought.open;
      });
      const told = commits.map(({ repository, ref, commit }) => ({ repository: displayPath(repository), ref, commit }));
      const data = { applied, conflicts: [...conflicts], heldWithRepository, ...(told.length === 0 ? {} : { commits: told }), undo };
      return { data, content: describe(data) };
    },
  });
}

const changesRepository = ({ read }: OpenChanges): boolean => read.changes.some(({ location }) => repositoryOf(location) !== undefined);

function describe({ applied, conflicts, heldWithRepository, commits = [], undo }: AppliedChanges): string {
  const repositories = [...new Set(conflicts.flatMap(({ path }) => repositoryOf(path.split('/')) ?? []))];
  const held = repositories.map((repository) => ({ repository }));
  const [waiting] = conflicts;
  return [
    `${count(applied, 'change')} applied.`,
    ...commits.map(
      ({ repository, ref }) => `Something else changed ${repository} since: the commits are in the git branch ${ref.replace('refs/heads/', '')}.`,
    ),
    // Git merges over no file that is not committed.
    ...(applied > commits.length && commits.length > 0
      ? ['What they changed in files is applied and not committed: commit that before you merge them.']
      : []),
    ...outsideHeld(conflicts, held).map(({ path, handle }) => `Not applied: ${path}, which something else changed since; it waits as ${handle}.`),
    ...repositories.map(
      (repository) =>
        `Not applied: ${commits.some((one) => one.repository === repository) ? `the rest of ${repository}` : `${repository}, which something else changed since`}; ` +
        `it waits as ${waiting?.handle ?? ''}${heldWithRepository === 0 ? '' : `, with ${count(heldWithRepository, 'other file')} of it`}. To drop that: synapse changes drop ${waiting?.handle ?? ''}`,
    ),
    ...(undo === true ? [] : [`This cannot be undone: ${undo}.`]),
  ].join('\n');
}

/** Creates the methods of hands for pending changes. */
export function createPending(runtime: Runtime): Pending {
  const registry = new ToolRegistry([applyTool(runtime)]);
  return {
    pendingChanges() {
      assertOpen(runtime.closing);
      return runtime.powers.pending.list();
    },
    async showPending(handle, { signal } = {}) {
      assertOpen(runtime.closing);
      const ended = signal === undefined ? runtime.closing : AbortSignal.any([runtime.closing, signal]);
      const parts = runtime.commands.pendingParts(undefined, ended);
      const { open } = await runtime.powers.pending.open(handle, parts);
      if (!changesRepository(open)) return await showChanges(parts, open, ended);
      const { conflictsOf } = await import('../branch/bring-all.ts');
      const { heldRepositories, withoutHeld } = await import('../branch/held-repositories.ts');
      const divided = withoutHeld(open.read, await conflictsOf(parts, open));
      const shown = await showChanges(parts, { ...open, read: divided.rest }, ended);
      const held = await heldRepositories(parts, open, divided.held);
      const lines = held.flatMap(({ repository, commits }) => commits.map(({ hash, subject }) => `${repository}: ${hash.slice(0, 7)} ${subject}`));
      const cautions = held.map((repository) => describeHeld(repository, handle, 'waits'));
      return held.length === 0
        ? shown
        : { ...shown, cautions: [...shown.cautions, ...cautions], repositories: [...(shown.repositories ?? []), ...lines] };
    },
    async applyPending(handle, options = {}) {
      return (await runCall(runtime, 'apply_changes', { handle }, options, registry)) as CallResult<AppliedChanges>;
    },
    async dropPending(handle) {
      assertOpen(runtime.closing);
      return await runtime.powers.pending.drop(handle, runtime.commands.pendingParts(undefined, runtime.closing));
    },
  };
}
