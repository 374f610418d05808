import { PAIRING_MS, parsePairingMessage } from '@synapse/protocol/remote';
import { REAL_PACE, type Pace } from '../pace.ts';
import type { RelayConnection } from './relay-host.ts';

/** Milliseconds for the first message of a pairing. A session has its own limits. */
const FIRST_MESSAGE_MS = 10_000;
/** Milliseconds in which a device that came with a code sends what proves it. It needs seconds, and no other device can pair meanwhile. */
const JOIN_MS = 30_000;

/**
 * Ends a connection for pairing that says nothing, takes the place of others, or lasts longer than any code: it needs no key, so anybody
 * could hold many.
 *
 * @param end closes the connection
 */
export function limitPairing(connection: RelayConnection, end: () => void, { wait }: Pace = REAL_PACE): RelayConnection {
  const stop = (): void => {
    closed();
    end();
  };
  const limit = (milliseconds: number) => setTimeout(stop, wait(milliseconds));
  const all = limit(PAIRING_MS + FIRST_MESSAGE_MS);
  let next: ReturnType<typeof setTimeout> | undefined = limit(FIRST_MESSAGE_MS);
  let isFirst = true;
  let isClosed = false;
  const closed = (): void => {
    clearTimeout(all);
    clearTimeout(next);
    if (isClosed) return;
    isClosed = true;
    connection.closed();
  };
  return {
    closed,
    text: (text) => {
      clearTimeout(next);
      const message = isFirst ? parsePairingMessage(text) : undefined;
      isFirst = false;
      if (message?.type === 'pair_hello' && message.side === 'guest') next = limit(JOIN_MS);
      connection.text(text);
    },
  };
}
