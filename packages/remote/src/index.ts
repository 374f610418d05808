/**
 * Hands for remote brains: the machine's end, and a relay for the machines of one person or team.
 * @module
 */
export { awaitRevoked } from './hands/await-revoked.ts';
export { ConnectedHands } from './hands/connected-hands.ts';
export type { ConnectionStatus, ConnectOptions } from './hands/connect-options.ts';
export { ManyWorkspaces } from './hands/many-workspaces.ts';
export type { ManyWorkspacesOptions } from './hands/many-workspaces.ts';
export type { OpenWorkspace, ServedWorkspaces } from './hands/served-workspaces.ts';
export type { HandsPairing } from './hands/watch-grants.ts';
export { listSessions, shownUrl } from './hands/session-records.ts';
export type { ServedSession } from './hands/session-records.ts';
export { ensureDevice, findDevice } from './keys/device-store.ts';
export { KnownMachines } from './keys/known-machines.ts';
export type { KnownMachine } from './keys/known-machines.ts';
export { PairedDevices } from './keys/paired-devices.ts';
export type { ProjectGrant } from './keys/paired-devices.ts';
export { joinPairing } from './pairing/join-pairing.ts';
export { offerPairing } from './pairing/offer-pairing.ts';
export type { PairingOffer } from './pairing/offer-pairing.ts';
export type { Machine } from './relay/enrollment.ts';
export { limitNewSpace } from './relay/limit-new-space.ts';
export { relayAdmin } from './relay/relay-admin.ts';
export type { RelayAdmin } from './relay/relay-admin.ts';
export type { BackendOptions, RelayBackend } from './relay/relay-backend.ts';
export { serveRelay } from './relay/serve-relay.ts';
export type { RelayOptions, ServedRelay } from './relay/serve-relay.ts';
export { enrollmentUrl, isLoopback, pairingUrl, readAddress, sessionUrl } from './session-url.ts';
export { inWorkspace, questionOf } from './brain/ask-approver.ts';
export { workspaceName } from './workspace-name.ts';
export { openFarHands } from './brain/far-hands.ts';
export type { FarHands } from './brain/far-hands.ts';
export { openNodeSocket } from './brain/node-socket.ts';
