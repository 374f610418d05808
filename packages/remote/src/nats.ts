/**
 * A relay of several processes that share their sessions through NATS.
 *
 * @example
 * const place = await openNatsPlace({ servers: ['nats://10.0.0.1:4222'], access: 'paired' });
 * await using relay = await serveRelay({ port: 7412, paired: { names: ['relay.example'] }, place });
 * @module
 */
export { natsRelayAdmin } from './nats/nats-admin.ts';
export { openNatsPlace } from './nats/nats-place.ts';
export type { NatsPlaceOptions } from './nats/nats-place.ts';
export type { NatsOptions } from './nats/open-nats.ts';
