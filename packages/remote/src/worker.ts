/**
 * The relay on Cloudflare: a stateless Worker, one Durable Object per session, and one for the account.
 *
 * @example
 * export { AccountObject, default, SessionObject } from '@synapse/remote/worker';
 * @module
 */
export { AccountObject } from './worker/account-object.ts';
export { SessionObject } from './worker/session-object.ts';
export { worker as default } from './worker/answer-request.ts';
