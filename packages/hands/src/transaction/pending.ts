import type { CallResult } from '@synapse/protocol';
import * as z from 'zod';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { CallOptions } from '../pipeline/call.ts';
import { runCall } from '../pipeline/pipeline.ts';
import { assertOpen } from '../pipeline/scope.ts';
import { ToolRegistry } from '../registry.ts';
import type { Runtime } from '../runtime.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool.ts';
import type { AppliedChanges, PendingChanges } from './transaction.ts';

/** Changes of commands that wait for a person: see `meta.pending` of a result. */
export interface Pending {
  /** All that wait, the oldest first. */
  pendingChanges(): readonly PendingChanges[];
  /**
   * Pending changes with diffs, judged by the rules and the workspace as they are now.
   *
   * @throws SynapseError `not_found` for a handle that is not kept
   */
  showPending(handle: string): Promise<ShownEffect>;
  /**
   * Applies pending changes, as one change that can be undone: a person's decision, so no rule asks about it. What is denied
   * stays out all the same, and what something else changed since waits on under a new handle.
   *
   * @example
   * for (const { handle } of hands.pendingChanges()) await hands.applyPending(handle);
   */
  applyPending(handle: string, options?: CallOptions): Promise<CallResult<AppliedChanges>>;
  /**
   * Deletes pending changes for good.
   *
   * @throws SynapseError `not_found` for a handle that is not kept
   */
  dropPending(handle: string): Promise<PendingChanges>;
}

/**
 * Applies changes that waited. A tool, so that it is recorded and journaled as every change is; not one of those that a
 * brain is offered, for it is a person who decides.
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
      undo: z.union([z.literal(true), z.string()]),
    }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ handle }, { applied }) => `apply_changes(${handle}) → ${count(applied, 'change')}`,
    async execute({ handle }, { workspace, signal }) {
      const open = await runtime.pending.open(handle, runtime.pendingParts(workspace, signal));
      const { applied, conflicts, undo } = await open.apply();
      const lines = [
        `${count(applied, 'change')} applied.`,
        ...conflicts.map((one) => `Not applied: ${one.path}, which something else changed since; it waits as ${one.handle}.`),
        ...(undo === true ? [] : [`This cannot be undone: ${undo}.`]),
      ];
      return { data: { applied, conflicts: [...conflicts], undo }, content: lines.join('\n') };
    },
  });
}

/** Gives hands the changes that wait. */
export function createPending(runtime: Runtime): Pending {
  const registry = new ToolRegistry([applyTool(runtime)]);
  return {
    pendingChanges() {
      assertOpen(runtime.closing);
      return runtime.pending.list();
    },
    async showPending(handle) {
      assertOpen(runtime.closing);
      const parts = runtime.pendingParts(undefined, runtime.closing);
      return await (await runtime.pending.open(handle, parts)).show();
    },
    async applyPending(handle, options = {}) {
      return (await runCall(runtime, 'apply_changes', { handle }, options, registry)) as CallResult<AppliedChanges>;
    },
    async dropPending(handle) {
      assertOpen(runtime.closing);
      return await runtime.pending.drop(handle);
    },
  };
}
