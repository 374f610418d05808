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
export type { DialectHands, Hands, HandsOptions } from './hands.ts';
export { defineTool } from './tool.ts';
export type { AnyTool, ProgressListener, ToolDefinition, ToolOutput } from './tool.ts';
export type { ToolContext } from './tool-context.ts';
export type { CallArguments, CallData, CallName, ToolInput, ToolData } from './typed-call.ts';
export { ToolRegistry } from './registry.ts';
export { CANONICAL_TOOLS } from './tools/canonical-tools.ts';
export { describeTools } from './dialects/describe-tools.ts';
export type { Dialect, DialectAnswer, DialectResult, DialectTool, DialectToolDescription, ObjectSchema } from './dialects/dialect.ts';
export { DIALECTS, findDialect } from './dialects/find-dialect.ts';
export { describeInput } from './describe-input.ts';
export { probeWatches } from './workspace-index/probe-watches.ts';
export { Quarantine } from './quarantine/quarantine.ts';
export type { QuarantinedItem } from './quarantine/quarantine.ts';
export { WorkspaceJobs } from './jobs/workspace-jobs.ts';
export type { WorkspaceJob } from './jobs/workspace-jobs.ts';
export type { JobRequest } from './jobs/job-requests.ts';
export { probeSandbox } from './sandbox/probe.ts';
export type { SandboxCheck } from './sandbox/probe.ts';
export { SANDBOX_CHOICES } from './sandbox/command-processes.ts';
export type { SandboxChoice } from './sandbox/command-processes.ts';
export type { NetworkPolicy } from './sandbox/sandbox-policy.ts';
export { GRANTS } from './pipeline/grants.ts';
export type { Grant } from './pipeline/grants.ts';
export type { CallOptions } from './pipeline/call.ts';
export type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from './approval/approver.ts';
export { describeTrial } from './approval/describe-trial.ts';
export type { DescribedTrial } from './approval/describe-trial.ts';
export type { AppliedChanges, PendingChanges } from './transaction/transaction.ts';
export type { Pending } from './transaction/pending.ts';
export type { ShownEffect } from './dry-run/show-effect.ts';
export { describeRequest } from './approval/describe-request.ts';
export type { DescribedChanges, DescribedRequest } from './approval/describe-request.ts';
export type { RequestLine, RequestLineKind } from './approval/request-line.ts';
export { createApprovalQueue } from './approval/approval-queue.ts';
export type { ApprovalQueue, PendingApproval } from './approval/approval-queue.ts';
export { explanationText } from './policy/explain.ts';
export type { Explanation } from './policy/explain.ts';
export type { Grant as SavedGrant, GrantProposal, GrantScope } from './policy/grant.ts';
export { LAYERS } from './policy/rule.ts';
export type { PolicyReport } from './policy/policy-report.ts';
export type { EventListener } from './pipeline/record.ts';
export type { TracingOptions } from './tracing/traced-call.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { isInsideCall } from './process/tree-mark.ts';
export { nearest } from './text/nearest.ts';
export { workspaceId } from './store/workspace-id.ts';
export { defaultStateFolder } from './workspace/state-folder.ts';
export { quoteWord } from './dialects/shell-words.ts';
export { openRoot } from './workspace/open-root.ts';
export { openSingleFile } from './workspace/single-file.ts';
export type { SingleFile } from './workspace/single-file.ts';
export { commonEnds } from './edit/changed-part.ts';
export { indexLines } from './edit/lines.ts';
export { mostLineEnds } from './edit/line-ends.ts';
export { unifiedDiff } from './edit/unified-diff.ts';
export { TOOL_FORMATS, toolFormat, writeTools } from './providers/tool-formats.ts';
export type { ToolFormat, ToolFormats, WriteOptions } from './providers/tool-formats.ts';
export { describeTool } from './providers/tool-description.ts';
export type {
  AnthropicNativeTool,
  FullToolDescription,
  NativeTool,
  OpenAiNativeTool,
  ToolAnnotations,
  ToolDescription,
} from './providers/tool-description.ts';
export type { JsonSchema } from './providers/json-schema.ts';
export { slimSchema } from './providers/slim-schema.ts';
export { handleOpenAiChat } from './providers/openai-chat.ts';
export type { OpenAiChatTool, OpenAiToolMessage } from './providers/openai-chat.ts';
export { handleOpenAiResponses } from './providers/openai-responses.ts';
export type { OpenAiNativeOutput } from './providers/openai-native.ts';
export type { OpenAiFunctionOutput, OpenAiOutputPart, OpenAiResponsesTool } from './providers/openai-responses.ts';
export { handleAnthropic } from './providers/anthropic.ts';
export type { AnthropicResultMessage, AnthropicResultPart, AnthropicTool, AnthropicToolResult } from './providers/anthropic.ts';
export { handleGemini } from './providers/gemini.ts';
export type { GeminiDeclaration, GeminiResponsePart, GeminiResultContent, GeminiTool } from './providers/gemini.ts';
export { handleAiSdk } from './providers/ai-sdk.ts';
export type { AiSdkInputSchema, AiSdkOutput, AiSdkTool, AiSdkToolMessage } from './providers/ai-sdk.ts';
export type { HandleOptions, SpokenResult, ToolAnswer, ToolCaller } from './providers/run-tool-calls.ts';
export { checkTools } from './providers/check-tools.ts';
export type { ForeignTool, ToolProblem } from './providers/check-tools.ts';
export { repairSchema } from './providers/repair-schema.ts';
export type { AppliedRepair, RepairedSchema } from './providers/repair-schema.ts';
export { PROVIDERS } from './providers/provider-rules.ts';
export type { Provider } from './providers/provider-rules.ts';
export { nameMap } from './providers/name-map.ts';
export type { NameMap } from './providers/name-map.ts';
export type { McpOptions } from './mcp/mcp-options.ts';
export type { HeldBackTool, McpServers, McpServerState, McpServerStatus } from './mcp/mcp-status.ts';
export type { ConnectionFacts } from './mcp/remote-server.ts';
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
export type { ProjectReview } from './mcp/pins/review-project.ts';
export { suspiciousAttempts } from './store/audit/suspicious-attempts.ts';
