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
export type { Dialect, DialectAnswer, DialectResult, DialectTool, DialectToolDescription, ObjectSchema } from './dialects/dialect.ts';
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
export { TOOL_FORMATS, toolFormat, writeTools } from './providers/tool-formats.ts';
export type { ToolFormat, ToolFormats, WriteOptions } from './providers/tool-formats.ts';
export { describeTool } from './providers/tool-description.ts';
export type { FullToolDescription, NativeTool, ToolAnnotations, ToolDescription } from './providers/tool-description.ts';
export type { JsonSchema } from './providers/json-schema.ts';
export { slimSchema } from './providers/slim-schema.ts';
export { handleOpenAiChat } from './providers/openai-chat.ts';
export type { OpenAiChatTool, OpenAiToolMessage } from './providers/openai-chat.ts';
export { handleOpenAiResponses } from './providers/openai-responses.ts';
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
