import {
  CLOSE_CODES,
  isSignedBy,
  PAIRING_MS,
  PAIRING_TRIES,
  pairProofText,
  parsePairingMessage,
  toBase64Url,
  type PairingMessage,
} from '@synapse/protocol/remote';
import type { RelayConnection, RelaySocket } from './relay-host.ts';

/** Maximum length of a pairing message in characters. */
const MAX_MESSAGE = 4_096;

/** Access rules for pairing at a session. */
export interface MailboxAccess {
  /** Whether a machine may wait here: it is enrolled, and the session has no other owner. */
  readonly mayWait: (session: string, identity: string) => boolean | Promise<boolean>;
  /** Whether a machine must prove its identity. */
  readonly proves: boolean;
}

interface Mailbox {
  readonly machine: RelaySocket;
  readonly since: number;
  guest: RelaySocket | undefined;
  guests: number;
}

const say = (socket: RelaySocket, message: PairingMessage): void => socket.send(JSON.stringify(message));

/**
 * Connects a machine with a device that was given its code, to exchange their keys. The relay forwards their messages
 * but cannot take part, because it does not know the code.
 */
export class Mailboxes {
  readonly #access: MailboxAccess;
  readonly #boxes = new Map<string, Mailbox>();
  readonly #now: () => number;

  constructor(access: MailboxAccess, now: () => number = Date.now) {
    this.#access = access;
    this.#now = now;
  }

  /** Accepts a pairing connection for a session. */
  connect(session: string, socket: RelaySocket, audience: string): RelayConnection {
    const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    say(socket, { type: 'pair_nonce', nonce });
    let side: 'unknown' | 'machine' | 'guest' | 'over' = 'unknown';
    const over = (code: number, reason: string): void => {
      side = 'over';
      socket.close(code, reason);
    };
    const enter = async (message: PairingMessage | undefined): Promise<void> => {
      if (message?.type !== 'pair_hello') return over(4400, 'A message could not be read.');
      if (message.side === 'guest') {
        side = this.#enterGuest(session, socket, over) ? 'guest' : side;
        return;
      }
      const { identity = '', proof = '' } = message;
      const isProven = !this.#access.proves || (await isSignedBy(identity, pairProofText(audience, nonce, identity), proof));
      if (!isProven || !(await this.#access.mayWait(session, identity))) return over(4001, 'This machine is not enrolled.');
      this.#boxes.get(session)?.machine.close(4009, 'Another pairing was started.');
      this.#boxes.set(session, { machine: socket, since: this.#now(), guest: undefined, guests: 0 });
      side = 'machine';
      say(socket, { type: 'pair_ready' });
    };
    let turn = Promise.resolve();
    const hear = async (given: string): Promise<void> => {
      const message = given.length > MAX_MESSAGE ? undefined : parsePairingMessage(given);
      if (side === 'unknown') return await enter(message);
      const box = this.#boxes.get(session);
      if (message === undefined || box === undefined || this.#isOld(box)) return over(4400, 'A message could not be read.');
      if (side === 'machine' && box.machine === socket && box.guest !== undefined) say(box.guest, message);
      if (side === 'guest' && box.guest === socket) say(box.machine, message);
    };
    return {
      text: (given) => {
        turn = turn.then(() => hear(given)).catch(() => over(CLOSE_CODES.restarting.code, 'The relay cannot reach its records.'));
      },
      closed: () => this.#leave(session, socket),
    };
  }

  /** Whether a machine waits for a device in a session. */
  has(session: string): boolean {
    return this.#boxes.has(session);
  }

  /** Closes the connections of a session that this relay no longer holds. */
  drop(session: string): void {
    const box = this.#boxes.get(session);
    this.#boxes.delete(session);
    for (const socket of [box?.machine, box?.guest]) socket?.close(CLOSE_CODES.restarting.code, CLOSE_CODES.restarting.text);
  }

  #isOld({ since }: Mailbox): boolean {
    return this.#now() - since > PAIRING_MS;
  }

  #enterGuest(session: string, socket: RelaySocket, over: (code: number, reason: string) => void): boolean {
    const box = this.#boxes.get(session);
    if (box === undefined || this.#isOld(box)) over(4004, 'No machine waits here.');
    else if (box.guest !== undefined) over(4429, 'Another device is pairing.');
    else {
      box.guests += 1;
      box.guest = socket;
      say(box.machine, { type: 'pair_guest' });
      // The machine counts wrong codes. This limits guests that connect and send nothing.
      if (box.guests > PAIRING_TRIES * 4) box.machine.close(4429, 'Too many devices came without a code.');
      return true;
    }
    return false;
  }

  #leave(session: string, socket: RelaySocket): void {
    const box = this.#boxes.get(session);
    if (box?.machine === socket) {
      this.#boxes.delete(session);
      box.guest?.close(4004, 'The machine does not wait any more.');
    } else if (box?.guest === socket) box.guest = undefined;
  }
}
