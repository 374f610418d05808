/**
 * The rules of the policy, and why a call is allowed, asked about or denied.
 * @module
 */
export { CAPABILITIES } from './policy/capabilities.ts';
export type { Capability } from './policy/capabilities.ts';
export { explanationText } from './policy/explain.ts';
export type { Explanation } from './policy/explain.ts';
export type { Grant, GrantProposal, GrantScope } from './policy/grant.ts';
export { LAYERS } from './policy/rule.ts';
export type { PolicyReport } from './policy/policy-report.ts';
export { importClaudeSettings } from './policy/claude-settings.ts';
export type { ClaudeImport } from './policy/claude-settings.ts';
export { modeTable } from './policy/mode-table.ts';
export type { ModeRow } from './policy/mode-table.ts';
export { MODE_MEANINGS, MODES } from './policy/modes.ts';
export type { Mode } from './policy/modes.ts';
