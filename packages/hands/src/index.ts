/**
 * Safe, fast hands for AI agents: a workspace, a pipeline and the tools that act in it.
 *
 * @example
 * import { createHands } from '@synapse/hands';
 * await using hands = await createHands({ workspace: '.' });
 * const result = await hands.call('read_file', { path: 'package.json' });
 * @module
 */
export { createHands } from './runtime/load-hands.ts';
export type { Branch, BranchOptions, DialectHands, Hands, WarmUpOptions } from './runtime/hands.ts';
export type { NewestReceipt } from './receipt/receipts.ts';
export type { HandsOptions } from './runtime/hands-options.ts';
export { defineTool } from './tool/tool.ts';
export type { AnyTool, ToolDefinition, ToolOutput } from './tool/tool.ts';
export type { CallOrigin, ToolContext } from './tool/tool-context.ts';
export type { CallArguments, CallData, CallName, ToolInput, ToolData } from './runtime/typed-call.ts';
export type { SandboxChoice } from './sandbox/sandbox-choices.ts';
export type { NetworkPolicy } from './sandbox/sandbox-policy.ts';
export type { CallOptions } from './call/call.ts';
export type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from './approval/approver.ts';
export type { AppliedChanges, PendingChanges } from './transaction/transaction.ts';
export type { Pending } from './runtime/pending.ts';
export type { BranchConflict, PlaceSide } from './branch/branch-conflict.ts';
export type { Choice as ConflictChoice } from './branch/resolve-conflict.ts';
export type { BranchPart } from './runtime/apply-branch-tool.ts';
export type { Branches, BranchInfo, ResolvedConflict, ShownBranch } from './runtime/branches.ts';
export type { ConflictPlace } from './branch/conflict-places.ts';
export type { ConflictVersion } from './branch/read-conflict.ts';
export type { ShownConflict } from './branch/show-conflict.ts';
export type { HunkChoice } from './branch/hunk-rulings.ts';
export type { AppliedBranch } from './branch/apply-branch.ts';
export type { ShownEffect } from './dry-run/show-effect.ts';
export { createApprovalQueue } from './approval/approval-queue.ts';
export type { ApprovalQueue, PendingApproval } from './approval/approval-queue.ts';
export type { EventListener } from './pipeline/record.ts';
export type { TracingOptions } from './tracing/traced-call.ts';
export { DEFAULT_LIMITS } from './output/limits.ts';
export type { Limits } from './output/limits.ts';
export type { Undo, Undone } from './runtime/undo.ts';
export type { UndoPlan } from './journal/plan-undo.ts';
export type { UndoSelection } from './journal/select-entries.ts';
export type { ShownChange } from './journal/show-changes.ts';
export type { FileBuffers, ShownByEditor } from './workspace/file-buffers.ts';
export type { TooLargeToUndo } from './workspace/changes/capture.ts';
export { SynapseError, isSynapseError } from '@synapse/protocol';
export type { CallResult } from '@synapse/protocol';
/** The zod that tools are defined with. A separately installed zod works too, from version 4. */
export { z } from 'zod';
