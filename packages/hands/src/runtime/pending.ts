import * as z from 'zod';
import type { CallResult } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { CallOptions } from '../call/call.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { ToolRegistry } from './registry.ts';
import type { Runtime } from './runtime.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { heldNote } from '../transaction/transactional-commands.ts';
import type { AppliedChanges, PendingChanges } from '../transaction/transaction.ts';

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
      undo: z.union([z.literal(true), z.string()]),
    }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ handle }, { applied }) => `apply_changes(${handle}) → ${count(applied, 'change')}`,
    async execute({ handle }, { workspace, signal }) {
      const open = await runtime.powers.pending.open(handle, runtime.commands.pendingParts(workspace, signal));
      const { applied, conflicts, heldWithRepository, undo } = await open.apply();
      const lines = [
        `${count(applied, 'change')} applied.`,
        ...conflicts.map((one) => `Not applied: ${one.path}, which something else changed since; it waits as ${one.handle}.`),
        ...(heldWithRepository === 0 ? [] : [heldNote(heldWithRepository)]),
        ...(undo === true ? [] : [`This cannot be undone: ${undo}.`]),
      ];
      return { data: { applied, conflicts: [...conflicts], heldWithRepository, undo }, content: lines.join('\n') };
    },
  });
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
      return await (await runtime.powers.pending.open(handle, parts)).show(ended);
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
