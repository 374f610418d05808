/**
 * The protocol `synapse.v1` between remote brains and hands: frames, and the pure cores of each party.
 * Runs in Node, workers and browsers.
 * @module
 */
export { toBase64Url } from './remote/base64url.ts';
export { backoffMs } from './remote/backoff.ts';
export { callHash } from './remote/call-hash.ts';
export { ROOM } from './remote/channel.ts';
export { CLOSE_CODES, closeMeaning } from './remote/close-codes.ts';
export type { CloseReason } from './remote/close-codes.ts';
export { createDevice, deviceId, fingerprint, Identity, isSignedBy, openDevice, StoredDevice } from './remote/device.ts';
export type { Device } from './remote/device.ts';
export { ForwardOp, PIECE_BYTES } from './remote/forward-op.ts';
export type { ConnectionOp } from './remote/forward-op.ts';
export { deviceOf, namesTool, RemoteGrant } from './remote/grant.ts';
export { checkHello } from './remote/check-hello.ts';
export type { Entrance } from './remote/check-hello.ts';
export {
  answerJoin,
  beginPairing,
  createPairingCode,
  isAnswerTo,
  joinMessage,
  PAIRING_ANSWER_MS,
  PAIRING_MS,
  PAIRING_TRIES,
  pairProofText,
  parsePairingMessage,
  readPairingCode,
  stretchCode,
} from './remote/pairing.ts';
export type { PairedDevice, PairingExchange, PairingMessage, PairingSecret } from './remote/pairing.ts';
export { audienceOf, proofText } from './remote/proof.ts';
export { SETTLE_MS } from './remote/settle-times.ts';
export { SealedLine } from './remote/sealed-line.ts';
export { withSum } from './remote/frame-sum.ts';
export { CHUNK_BYTES, LARGE_CHUNK, INLINE_BYTES, MAX_FRAME, parseDataFrame, parseText, PROTOCOL_VERSION } from './remote/frames.ts';
export type { BaseCall } from './remote/base-call.ts';
export type { CallPhase, CallStatus, ControlFrame, ControlFrames, DataFrame, DataFrames, Peer } from './remote/frames.ts';
export { isAppended, type FinishedCall, type LedgerCall, type LedgerRow, type LedgerView, type ResultFacts } from './remote/ledger.ts';
export type { LinkEffect, LinkEvent } from './remote/link.ts';
export { handsStep } from './remote/hands-core.ts';
export { newHands, startHands } from './remote/hands-state.ts';
export { grantIn, isApproverIn, joinGrants, unknownWorkspace, workspaceOf, workspacesOf } from './remote/workspace-grant.ts';
export type { Grants, MachineGrant } from './remote/workspace-grant.ts';
export type { HandsEffect, HandsEvent, HandsState, Pairing } from './remote/hands-state.ts';
export { brainStep } from './remote/brain-core.ts';
export { newBrain, startBrain } from './remote/brain-state.ts';
export type { BrainCall, BrainEffect, BrainPairing, BrainEvent, BrainState, OpenCall } from './remote/brain-state.ts';
export { relayStep } from './remote/relay-core.ts';
export { NEW_SESSION, newRelay } from './remote/relay-state.ts';
export type {
  CheckedProof,
  RelayAccess,
  RelayedCall,
  RelayEffect,
  RelayEvent,
  RelayState,
  SessionRecord,
  StoredSession,
} from './remote/relay-state.ts';
export { droppedResult, ownResult, refusedResult } from './remote/own-results.ts';
export { sha256 } from './remote/sha256.ts';
