/**
 * Messages, results and errors shared by all parts of Synapse. Runs in Node, workers and browsers.
 * @module
 */
export { ERROR_CODES } from './error-codes.ts';
export type { ErrorCode } from './error-codes.ts';
export { SynapseError, isSynapseError, toSynapseError } from './synapse-error.ts';
export type { SynapseErrorOptions } from './synapse-error.ts';
export { Permission, PermissionAction } from './permission.ts';
export type { FilledForm, PersonForm } from './person-form.ts';
export { Truncation } from './result.ts';
export { CallError, CallFailure, CallMeta, CallResult, CallSuccess, ContentBlock, DryRun, SandboxTier, errorText } from './result.ts';
export { CallEvent, Progress } from './event.ts';
export { sha256 } from './remote/sha256.ts';
