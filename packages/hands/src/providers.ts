/**
 * Tool definitions and answers in the formats of OpenAI, Anthropic, Gemini and the AI SDK.
 * @module
 */
export { TOOL_FORMATS, toolFormat, writeTools } from './providers/tool-formats.ts';
export type { ToolFormat, ToolFormats, WriteOptions } from './providers/tool-formats.ts';
export type { AnthropicNativeTool, NativeTool, OpenAiNativeTool } from './providers/tool-description.ts';
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
export type { AiSdkInputSchema, AiSdkOutput, AiSdkTool, AiSdkToolMessage, OlderAiSdkOutput } from './providers/ai-sdk.ts';
export type { LangChainOutput, LangChainTool } from './providers/langchain.ts';
export type { OpenAiAgentsOutput, OpenAiAgentsTool } from './providers/openai-agents.ts';
export type { HandleOptions, DialectOutput, ToolAnswer, ToolCaller, ToolRunner } from './providers/run-tool-calls.ts';
export { checkTools } from './providers/check-tools.ts';
export type { ForeignTool, ToolProblem } from './providers/check-tools.ts';
export { repairSchema } from './providers/repair-schema.ts';
export type { AppliedRepair, RepairedSchema } from './providers/repair-schema.ts';
export { PROVIDERS } from './providers/provider-rules.ts';
export type { Provider } from './providers/provider-rules.ts';
export { nameMap } from './providers/name-map.ts';
export type { NameMap } from './providers/name-map.ts';
