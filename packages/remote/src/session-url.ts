import { SynapseError } from '@synapse/protocol';

/** What a session may be called: it is part of a path. */
const SESSION = /^[\w][\w.-]{0,63}$/u;

/** Whether a text can be the name of a session. */
export const isSessionName = (text: string): boolean => SESSION.test(text);

/**
 * The address of a session at a relay. The name is given, or is the fragment of the URL, as in `ws://127.0.0.1:7412#laptop`.
 *
 * @throws SynapseError `invalid_arguments` for what is no such address
 */
export function sessionUrl(relay: string, name?: string): string {
  if (!URL.canParse(relay) || !['ws:', 'wss:'].includes(new URL(relay).protocol)) {
    throw new SynapseError('invalid_arguments', `Not the URL of a relay: ${JSON.stringify(relay.slice(0, 100))}`, {
      hint: 'It starts with wss:// or ws://, such as ws://127.0.0.1:7412.',
    });
  }
  const url = new URL(relay);
  const session = name ?? decodeURIComponent(url.hash.slice(1));
  if (!isSessionName(session)) {
    throw new SynapseError(
      'invalid_arguments',
      session === '' ? 'The session has no name.' : `Not a name of a session: ${JSON.stringify(session.slice(0, 100))}`,
      {
        hint: 'Letters, digits, dots and dashes, at most 64, such as ws://127.0.0.1:7412#laptop.',
      },
    );
  }
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/$/u, '')}/v1/s/${session}`;
  return url.href;
}
