/**
 * A relay of several processes that share their sessions through NATS.
 *
 * @example
 * const backend = await openNatsBackend({ servers: ['nats://10.0.0.1:4222'], access: 'paired' });
 * await using relay = await serveRelay({ port: 7412, paired: { names: ['relay.example'] }, backend });
 * @module
 */
export { natsRelayAdmin } from './nats/nats-admin.ts';
export { openNatsBackend } from './nats/nats-backend.ts';
export type { NatsBackendOptions } from './nats/nats-backend.ts';
export type { NatsOptions } from './nats/open-nats.ts';
