/**
 * The protocol `synapse.v1` between brains and hands that are far apart: frames, and the pure cores of each party.
 * Runs in Node, workers and browsers.
 * @module
 */
export { backoffMs } from './remote/backoff.ts';
export { callHash } from './remote/call-hash.ts';
export { CLOSE_CODES, closeMeaning } from './remote/close-codes.ts';
export type { CloseReason } from './remote/close-codes.ts';
export { CHUNK_BYTES, INLINE_BYTES, MAX_FRAME, parseText, PROTOCOL_VERSION } from './remote/frames.ts';
export type { BaseCall, CallPhase, CallStatus, ControlFrame, DataFrame, DataFrames, Peer } from './remote/frames.ts';
export type { FinishedCall, LedgerCall, LedgerRow, LedgerView, ResultFacts } from './remote/ledger.ts';
export type { LinkEffect, LinkEvent } from './remote/link.ts';
export { handsStep } from './remote/hands-core.ts';
export { newHands, startHands } from './remote/hands-state.ts';
export type { HandsEffect, HandsEvent, HandsState } from './remote/hands-state.ts';
export { brainStep, newBrain, startBrain } from './remote/brain-core.ts';
export type { BrainCall, BrainEffect, BrainEvent, BrainState, OpenCall } from './remote/brain-core.ts';
export { relayStep } from './remote/relay-core.ts';
export { newRelay } from './remote/relay-state.ts';
export type { RelayedCall, RelayEffect, RelayEvent, RelayState, StoredSession } from './remote/relay-state.ts';
export { sha256 } from './remote/sha256.ts';
