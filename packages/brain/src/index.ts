/**
 * The built-in brain of Synapse: reasoning protocols, and Project Resurrection without a model.
 *
 * @example
 * import { createHands } from '@synapse/hands';
 * import { resurrect } from '@synapse/brain';
 * await using hands = await createHands({ workspace: '.' });
 * console.log((await resurrect(hands)).report);
 * @module
 */
export { runAgent } from './agent/run-agent.ts';
export type { RunAgentOptions, TaskContent } from './agent/run-agent-options.ts';
export { runProtocol } from './agent/run-protocol.ts';
export type { ProtocolResult, RunProtocolOptions } from './agent/run-protocol.ts';
export type { AgentEvent, AgentEventListener } from './agent/agent-event.ts';
export { compactSession } from './agent/compact-session.ts';
export type { Compacted, CompactOptions } from './agent/compact-session.ts';
export { portableMessages } from './agent/portable-messages.ts';
export { TodoList } from './agent/todo-list.ts';
export type { TodoItem } from './agent/todo-list.ts';
export { INCOMPLETE } from './agent/agent-result.ts';
export type { AgentResult, AgentStatus } from './agent/agent-result.ts';
export type { AgentSession } from './agent/agent-session.ts';
export type { SharedBudget } from './agent/shared-budget.ts';
export type { AgentLimits, ModelPrice, Spending } from './agent/spending.ts';
export { readModelName } from './models/model-name.ts';
export type { ModelName } from './models/model-name.ts';
export { openModel } from './models/open-model.ts';
export type { OpenModelOptions } from './models/open-model.ts';
export { INSTRUCTION_FILES, OPERATOR_FILE, SystemPromptNotFound } from './prompt-files/prompt-file.ts';
export type { PromptFile } from './prompt-files/prompt-file.ts';
export { buildSystemPrompt, estimateTextTokens, systemPromptParts } from './prompt/system-prompt.ts';
export type { PromptPart, SystemPromptOptions } from './prompt/system-prompt.ts';
export { toolDescriptions } from './prompt/tool-descriptions.ts';
export { BUILT_IN_PROTOCOLS } from './protocols/built-in-protocols.ts';
export { findProtocol, listProtocols } from './protocols/find-protocol.ts';
export type { KnownProtocols } from './protocols/find-protocol.ts';
export { readProtocol } from './protocols/read-protocol.ts';
export { SessionStore } from './sessions/session-store.ts';
export type { SessionRecord, SessionSetup } from './sessions/session-record.ts';
export { recordedCalls } from './sessions/recorded-calls.ts';
export type { RecordedCall } from './sessions/recorded-calls.ts';
export { readSessionFile, sessionLines } from './sessions/session-file.ts';
export type { RecordedSession, SessionFile } from './sessions/session-file.ts';
export { callFacts } from './sessions/call-facts.ts';
export type { CallFacts } from './sessions/call-facts.ts';
export { replayCalls } from './replay/replay-calls.ts';
export type { ReplayedCall } from './replay/replay-calls.ts';
export { countReplay, isFaithful } from './replay/replay-report.ts';
export { checkAttribution } from './report/check-attribution.ts';
export { checkClaims } from './report/claims/check-claims.ts';
export type { CheckedClaim, ClaimCheck, EvidenceCall } from './report/claims/check-claims.ts';
export { sessionEvidence } from './report/claims/session-evidence.ts';
export { auditedCalls, seenInEither, sessionCalls } from './report/seen-calls.ts';
export type { SeenCalls } from './report/seen-calls.ts';
export type { AttributionCheck } from './report/check-attribution.ts';
export { PROJECT_RESURRECTION } from './protocols/project-resurrection.ts';
export type { ResurrectionStepId } from './protocols/project-resurrection.ts';
export { protocolPrompt } from './protocols/protocol-prompt.ts';
export type { ProtocolStep, ReasoningProtocol, StepSignal } from './protocols/reasoning-protocol.ts';
export { isManifest } from './resurrect/metadata/manifest-kinds.ts';
export { manifestCommands } from './resurrect/metadata/manifest-commands.ts';
export type { Command } from './resurrect/metadata/manifest.ts';
export { resurrect } from './resurrect/resurrect.ts';
export { runOffline, runsOffline } from './offline/run-offline.ts';
export type { OfflineOptions, OfflineReport, OfflineReport as Resurrection, StepEvent } from './resurrect/run-steps.ts';
export { parseReport } from './report/parse-report.ts';
export type { ParsedReport } from './report/parse-report.ts';
export { Attribution, Confidence } from './report/attribution.ts';
