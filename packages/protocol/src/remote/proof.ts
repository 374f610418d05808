import type { ControlFrames } from './frames.ts';

/**
 * Returns the text that a device signs to authenticate to a relay. The nonce belongs to this connection. The audience (the relay and the
 * session that the device dialed) prevents another relay from reusing the signature.
 */
export function proofText(audience: string, nonce: string, hello: Omit<ControlFrames['hello'], 'proof' | 'credit' | 'recv'>): string {
  const { role, inst, epoch, ledger, identity } = hello;
  return JSON.stringify(['synapse.v1 hello', audience, nonce, role, inst, epoch, ledger ?? null, identity ?? null]);
}

/** Returns the relay and the session that a device dialed. Not the whole path, because a proxy in front of the relay may shorten it. */
export function audienceOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host} ${pathname.split('/').at(-1) ?? ''}`;
}
