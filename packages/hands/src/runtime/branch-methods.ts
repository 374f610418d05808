import { join } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import type { AppliedBranch } from '../branch/apply-branch.ts';
import type { StoredBranch } from '../branch/branch-store.ts';
import { failedCall } from '../branch-hands/near-calls.ts';
import type { CallOptions } from '../call/call.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import { assertOpen } from '../pipeline/check-permissions.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from '../providers/tool-formats.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { AppliedChanges } from '../transaction/transaction.ts';
import { PendingStore } from '../transaction/pending-store.ts';
import { BranchCalls, type BranchCallParts } from './branch-calls.ts';
import { createBranches } from './branches.ts';
import { dialectHands } from './dialect-hands.ts';
import type { Branch, Hands } from './hands.ts';
import type { Pending } from './pending.ts';
import type { Runtime } from './runtime.ts';
import type { Undone } from './undo.ts';

/** What the methods of a branch require. */
export interface BranchMethodParts extends BranchCallParts {
  readonly stored: StoredBranch;
  readonly stateFolder: string;
  readonly runtime: Runtime;
  /** The hands that opened the branch. */
  readonly hands: Hands;
}

/** The methods of {@link Branch} about what it may do, and to end it. */
type Other = 'constraints' | 'policy' | 'limitMode' | 'revoke' | 'subscribe' | typeof Symbol.asyncDispose;

/** The methods about changes that wait for a person. */
function pendingMethods({ stored, session, runtime }: BranchMethodParts, calls: BranchCalls): Pending {
  const { root } = stored.record;
  return {
    pendingChanges() {
      assertOpen(runtime.closing);
      return new PendingStore(join(stored.folder.state, 'transactions', workspaceId(root))).list();
    },
    async showPending(handle, { signal } = {}) {
      return await session.run(async (link) => await link.request('showPending', { handle }, { signal }));
    },
    async applyPending(handle, options = {}) {
      return (await calls.with(
        options,
        async (link, { settings, waiting }) => await link.request('applyPending', { handle, settings }, waiting),
      )) as CallResult<AppliedChanges>;
    },
    async dropPending(handle) {
      return await session.run(async (link) => await link.request('dropPending', { handle }));
    },
  };
}

/** The methods about the branch as a whole. The hands that opened it know branches by name, and another one may have the name by now. */
function wholeMethods({ stored, session, hands }: BranchMethodParts): Pick<Branch, 'show' | 'apply' | 'drop' | 'branch' | 'createBranch'> {
  const { name } = stored.record;
  return {
    async show(options) {
      session.assertCurrent();
      return await hands.showBranch(name, options);
    },
    async apply(options = {}): Promise<CallResult<AppliedBranch>> {
      const startedAt = performance.now();
      try {
        return await session.alone(async () => await hands.applyBranch(name, options));
      } catch (error) {
        return failedCall('apply_branch', {}, startedAt, error);
      }
    },
    async drop() {
      return await session.alone(async () => await hands.dropBranch(name));
    },
    async branch(other, options) {
      session.assertCurrent();
      return await hands.branch(other, { from: name, ...options });
    },
    async createBranch(other, options) {
      session.assertCurrent();
      return await hands.createBranch(other, { from: name, ...options });
    },
  };
}

/**
 * The methods of a branch. Those that run or read something in it are answered by its process. The list of tools, the dialects and the
 * MCP servers are those of the hands that opened it, so that they are known at once: both are opened with the same options.
 */
export function branchMethods(parts: BranchMethodParts): Omit<Branch, Other> {
  const { stored, session, runtime, hands, stateFolder } = parts;
  const { name, from, created, root } = stored.record;
  const calls = new BranchCalls(parts);
  const whole = wholeMethods(parts);
  function tools(): readonly AnyTool[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly AnyTool[] | ToolFormats[ToolFormat] {
    return format === undefined ? runtime.registry.list() : writeTools(runtime.registry.describe(), { call, tools }, format, options);
  }
  const call = async (tool: string, input?: unknown, options: CallOptions = {}): Promise<CallResult<never>> =>
    (await calls.call(tool, input, options)) as CallResult<never>;
  return {
    name,
    from,
    created,
    workspace: root,
    confinement: hands.confinement,
    call,
    tools,
    dialect(other) {
      const dialect = findDialect(other);
      return dialectHands(dialect, runtime.registry, async (tool, input, options = {}) => await calls.dialect(other, tool, input, options));
    },
    async explain(tool, input) {
      return await session.run(async (link) => await link.request('explain', calls.explained(tool, input)));
    },
    async undo(selection = {}, options = {}) {
      return (await calls.with(
        options,
        async (link, { settings, waiting }) => await link.request('undo', { selection, settings }, waiting),
      )) as CallResult<Undone>;
    },
    async receipts() {
      return await session.run(async (link) => await link.request('receipts', {}));
    },
    async planUndo(selection = {}) {
      return await session.run(async (link) => await link.request('planUndo', { selection }));
    },
    async changes(selection = {}, { diffs, signal } = {}) {
      if (selection.call === undefined && selection.session === undefined) {
        const shown = await whole.show(signal === undefined ? {} : { signal });
        return shown.changes.map((change) => ({ ...change, current: true }));
      }
      const given = diffs === undefined ? {} : { diffs };
      return await session.run(async (link) => await link.request('changes', { selection, ...given }, { signal }));
    },
    ...pendingMethods(parts, calls),
    // The branches of the workspace have one list.
    ...createBranches(runtime, stateFolder),
    ...whole,
    applyBranch: async (...given) => await hands.applyBranch(...given),
    mcp: hands.mcp,
    onToolsChanged: (listener) => hands.onToolsChanged(listener),
    warmUp({ programs = false } = {}) {
      void session.run(async (link) => await link.request('warmUp', { programs })).catch(() => {});
    },
    async endSession(sessionId) {
      return session.link === undefined ? 0 : await session.run(async (link) => await link.request('endSession', { sessionId }));
    },
    sweepHandedOver: async () => await session.run(async (link) => await link.request('sweepHandedOver', null)),
  };
}
