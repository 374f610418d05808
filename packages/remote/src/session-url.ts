import { SynapseError } from '@synapse/protocol';
import { isSessionName } from './session-name.ts';

/**
 * Returns the address of a session at a relay. The name is the argument, or the fragment of the URL, as in `ws://127.0.0.1:7412#laptop`.
 *
 * @throws SynapseError `invalid_arguments` for an invalid address
 */
export function sessionUrl(relay: string, name?: string): string {
  const { url, session } = readAddress(relay, name);
  return at(url, `s/${session}`);
}

/** Returns the address for pairing with a session. @throws SynapseError as {@link sessionUrl} */
export function pairingUrl(relay: string, name?: string): string {
  const { url, session } = readAddress(relay, name);
  return at(url, `pair/${session}`);
}

/** Returns the address at which a relay enrolls machines. @throws SynapseError as {@link sessionUrl} */
export const enrollmentUrl = (relay: string): string => at(readUrl(relay), 'enroll');

/** Whether an address is one at which a relay enrolls machines. */
export const isEnrollmentUrl = (url: string): boolean => new URL(url).pathname.endsWith('/v1/enroll');

/** Whether an address is on this machine, so that only its programs can listen there. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}

function at(relay: URL, path: string): string {
  const url = new URL(relay);
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/$/u, '')}/v1/${path}`;
  return url.href;
}

function readUrl(relay: string): URL {
  if (!URL.canParse(relay) || !['ws:', 'wss:'].includes(new URL(relay).protocol)) {
    throw new SynapseError('invalid_arguments', `Not the URL of a relay: ${JSON.stringify(relay.slice(0, 100))}`, {
      hint: 'It starts with wss:// or ws://, such as ws://127.0.0.1:7412.',
    });
  }
  const url = new URL(relay);
  if (url.username === '' && url.password === '') return url;
  throw new SynapseError('invalid_arguments', 'The URL of the relay has a user or a password, which other users of this machine can read.', {
    hint: 'Leave it out. A relay needs none: devices prove themselves with their keys.',
  });
}

/** Decodes a part of a URL; returns it as it is if it is not encoded correctly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Such as a lone percent sign, which no name has.
    return part;
  }
}

/** What an address of a session has. */
export interface Address {
  readonly url: URL;
  readonly session: string;
  /** The name of a workspace there. It is no part of what the relay sees. */
  readonly workspace?: string;
}

/** Splits an address, such as `wss://relay.example#laptop/api`, into its parts. @throws SynapseError as {@link sessionUrl} */
export function readAddress(relay: string, name?: string): Address {
  const url = readUrl(relay);
  const [, named = '', workspace] = /^(?<session>[^/]*)(?:\/(?<workspace>.*))?$/su.exec(decoded(url.hash.slice(1))) ?? [];
  const session = name ?? named;
  if (!isSessionName(session)) {
    throw new SynapseError(
      'invalid_arguments',
      session === '' ? 'The session has no name.' : `Not a name of a session: ${JSON.stringify(session.slice(0, 100))}`,
      {
        hint: 'Letters, digits, dots and dashes, at most 64, such as ws://127.0.0.1:7412#laptop.',
      },
    );
  }
  return { url, session, ...(workspace === undefined || name !== undefined ? {} : { workspace }) };
}
