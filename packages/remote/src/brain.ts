/**
 * Hands on another machine, for agent code in Node, workers and browsers.
 *
 * @example
 * import { connectHands } from '@synapse/remote/brain';
 * await using hands = connectHands('ws://127.0.0.1:7412#laptop');
 * const result = await hands.call('read_file', { path: 'package.json' });
 * @module
 */
export { connectHands } from './brain/connect-hands.ts';
export type { BrainStore } from './brain/brain-store.ts';
export { objectStore } from './brain/object-store.ts';
export type { ObjectStorage } from './brain/object-store.ts';
export { pageStore } from './brain/page-store.ts';
export type { BrainCredentials, BrainOptions, BrowserSocket } from './brain/brain-options.ts';
export type {
  OpenRemoteCall,
  RemoteCallOptions,
  RemoteDialect,
  RemoteDialectResult,
  RemoteEvent,
  RemoteHands,
  RemoteOutputOptions,
  RemotePort,
  RemotePortOptions,
  RemoteReadOptions,
} from './brain/remote-hands.ts';
export type { RemoteAbout } from './remote-about.ts';
