/**
 * Safe, fast hands for AI brains: a workspace, a pipeline and the tools that act in it.
 *
 * @example
 * import { createHands } from '@synapse/hands';
 * await using hands = await createHands({ workspace: '.' });
 * const result = await hands.call('read_file', { path: 'package.json' });
 * @module
 */
export { createHands } from './create-hands.ts';
export type { DialectHands, Hands, HandsOptions } from './create-hands.ts';
export { defineTool } from './tool.ts';
export type { AnyTool, ProgressListener, ToolDefinition, ToolOutput } from './tool.ts';
export type { ToolContext } from './tool-context.ts';
export { ToolRegistry } from './registry.ts';
export { CANONICAL_TOOLS } from './tools/canonical-tools.ts';
export { describeTools } from './dialects/describe-tools.ts';
export type { Dialect, DialectAnswer, DialectResult, DialectTool, NativeTool, ObjectSchema, ToolDescription } from './dialects/dialect.ts';
export { DIALECTS, findDialect } from './dialects/find-dialect.ts';
export { describeInput } from './describe-input.ts';
export { GRANTS } from './pipeline/authorize.ts';
export type { Grant } from './pipeline/authorize.ts';
export type { CallOptions } from './pipeline/call.ts';
export type { EventListener } from './pipeline/record.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { nearest } from './text/nearest.ts';
export { defaultStateFolder } from './workspace/state-folder.ts';
export { queryAudit } from './store/audit/query-audit.ts';
export type { AuditedCall, AuditFilter } from './store/audit/query-audit.ts';
export { verifyAudit } from './store/audit/verify-audit.ts';
export type { AuditProblem, AuditVerification } from './store/audit/verify-audit.ts';
export { followAudit } from './store/audit/follow-audit.ts';
export type { Undo, Undone } from './journal/undo.ts';
export type { UndoPlan } from './journal/plan-undo.ts';
export type { UndoSelection } from './journal/select-entries.ts';
export type { ShownChange } from './journal/show-changes.ts';
export type { TooLargeToUndo } from './journal/capture.ts';
export type { RecordedChange } from './store/audit/audit-record.ts';
export { Projects } from './store/projects/projects.ts';
export type { Project } from './store/projects/projects.ts';
export { suspiciousAttempts } from './store/audit/suspicious-attempts.ts';
