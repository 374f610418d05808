/**
 * Hands that brains far away can use: a machine's end, and a relay for the machines of one person or team.
 * @module
 */
export { ConnectedHands } from './hands/connected-hands.ts';
export type { ConnectionStatus, ConnectOptions } from './hands/connected-hands.ts';
export { serveRelay } from './relay/serve-relay.ts';
export type { RelayOptions, ServedRelay } from './relay/serve-relay.ts';
export { sessionUrl } from './session-url.ts';
