import { SynapseError } from '@synapse/protocol';
import { parsePairingMessage, type PairingMessage } from '@synapse/protocol/remote';
import { openClientSocket } from '../hands/client-socket.ts';
import { isEnrollmentUrl } from '../session-url.ts';

/** A connection for pairing two devices. */
export interface PairingLine extends Disposable {
  send(message: PairingMessage): void;
  /**
   * Returns the next message.
   *
   * @throws SynapseError if the connection ends first
   */
  next(): Promise<PairingMessage>;
}

/** Errors by close code, for users who pair. */
const REASONS: Readonly<Record<number, SynapseError>> = {
  4001: new SynapseError('denied', 'This machine is not enrolled at the relay.', {
    details: { reason: 'not_enrolled' },
    hint: 'Ask for an invitation: synapse relay invite, at the relay. Then enter its code here.',
  }),
  4004: new SynapseError('not_found', 'No machine waits for this code: it works once, for ten minutes.', {
    hint: 'Run synapse pair there again, and leave it running while you enter the code that it shows.',
  }),
  4009: new SynapseError('conflict', 'Another pairing was started for this session.', { hint: 'Use the code that it shows.' }),
  4429: new SynapseError('busy', 'Another device is pairing with this session.', { hint: 'Try again in a minute.' }),
};

/** Instead, for a code of a relay. No command waits for it. */
const NO_INVITATION = new SynapseError('not_found', 'The relay has no invitation for this code: it works once, for ten minutes.', {
  hint: 'Get a new one at the relay: synapse relay invite',
});

/** Opens a connection for pairing. */
export function openPairingLine(url: string, signal: AbortSignal): PairingLine {
  const messages: PairingMessage[] = [];
  let waiting: PromiseWithResolvers<PairingMessage> | undefined;
  /** Messages to send once the connection is open. */
  let early: string[] | undefined = [];
  let ended: SynapseError | undefined;
  const end = (error: SynapseError): void => {
    ended ??= error;
    waiting?.reject(ended);
    waiting = undefined;
  };
  const socket = openClientSocket(url, {
    opened: () => {
      for (const text of early ?? []) socket.send(text);
      early = undefined;
    },
    text: (text) => {
      const message = parsePairingMessage(text);
      if (message === undefined)
        end(new SynapseError('unavailable', 'The relay sent a message that cannot be read.', { hint: 'Update Synapse on both sides.' }));
      else if (waiting === undefined) messages.push(message);
      else {
        waiting.resolve(message);
        waiting = undefined;
      }
    },
    closed: (code, problem) =>
      end(
        (code === 4004 && isEnrollmentUrl(url) ? NO_INVITATION : REASONS[code]) ??
          new SynapseError('unavailable', problem ?? `The connection broke (code ${code}).`),
      ),
  });
  const abort = (): void => end(new SynapseError('cancelled', 'The pairing was cancelled.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    send: (message) => {
      const text = JSON.stringify(message);
      if (early === undefined) socket.send(text);
      else early.push(text);
    },
    next: () => {
      const message = messages.shift();
      if (message !== undefined) return Promise.resolve(message);
      if (ended !== undefined) return Promise.reject(ended);
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', abort);
      socket.end(1000, 'Done.');
    },
  };
}
