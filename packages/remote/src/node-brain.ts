/**
 * As `@synapse/remote/brain`, with the WebSocket of `ws`: it says why it could not connect, and takes less time per call than
 * the one of Node. Node imports this under that name.
 *
 * @module
 */
import { connectHands as connect } from './brain/connect-hands.ts';
import type { BrainOptions } from './brain/brain-options.ts';
import { openNodeSocket } from './brain/node-socket.ts';
import type { RemoteHands } from './brain/remote-hands.ts';

export type * from './brain.ts';
export { fileStore } from './brain/file-store.ts';
export { objectStore } from './brain/object-store.ts';
export { pageStore } from './brain/page-store.ts';

/**
 * Connects to hands on another machine through a session at a relay.
 *
 * @throws SynapseError `invalid_arguments` for an invalid address
 */
export const connectHands = (relay: string, options: BrainOptions = {}): RemoteHands => connect(relay, { openSocket: openNodeSocket, ...options });
