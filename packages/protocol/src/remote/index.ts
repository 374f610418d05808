/**
 * The protocol `synapse.v1` between brains and hands that are far apart: frames, and the pure cores of each party.
 * Runs in Node, workers and browsers.
 * @module
 */
export { backoffMs } from './backoff.ts';
export { callHash } from './call-hash.ts';
export { CLOSE_CODES, closeMeaning } from './close-codes.ts';
export type { CloseReason } from './close-codes.ts';
export { CHUNK_BYTES, INLINE_BYTES, MAX_FRAME, parseText, PROTOCOL_VERSION } from './frames.ts';
export type { BaseCall, CallPhase, CallStatus, ControlFrame, DataFrame, DataFrames, Peer } from './frames.ts';
export type { FinishedCall, LedgerCall, LedgerRow, LedgerView, ResultFacts } from './ledger.ts';
export type { LinkEffect, LinkEvent } from './link.ts';
export { handsStep } from './hands-core.ts';
export { newHands, startHands } from './hands-state.ts';
export type { HandsEffect, HandsEvent, HandsState } from './hands-state.ts';
export { brainStep, newBrain, startBrain } from './brain-core.ts';
export type { BrainCall, BrainEffect, BrainEvent, BrainState, OpenCall } from './brain-core.ts';
export { relayStep } from './relay-core.ts';
export { newRelay } from './relay-state.ts';
export type { RelayedCall, RelayEffect, RelayEvent, RelayState, StoredSession } from './relay-state.ts';
export { sha256 } from './sha256.ts';
