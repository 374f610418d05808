import {
  answerJoin,
  CLOSE_CODES,
  createDevice,
  createPairingCode,
  Identity,
  PAIRING_MS,
  PAIRING_TRIES,
  parsePairingMessage,
  stretchCode,
  type PairedDevice,
  type PairingMessage,
} from '@synapse/protocol/remote';
import * as z from 'zod';
import type { RelayConnection, RelaySocket } from './relay-host.ts';

/** An invitation of a relay: its stretched code, its expiry, and the remaining tries. */
export const Invitation = z.object({ salt: z.string(), key: z.string(), expires: z.int(), left: z.int().min(0).max(PAIRING_TRIES) });
export type Invitation = z.infer<typeof Invitation>;

/** Creates an invitation and its code. Only the stretched code is stored, which is enough to verify the code. */
export async function createInvitation(now = Date.now()): Promise<{ readonly code: string; readonly invitation: Invitation }> {
  const code = createPairingCode();
  return { code, invitation: { ...(await stretchCode(code)), expires: now + PAIRING_MS, left: PAIRING_TRIES } };
}

/** A machine that may claim sessions at a relay. */
export const Machine = z.object({ identity: Identity, name: z.string().max(200), at: z.int() });
export type Machine = z.infer<typeof Machine>;

type Awaitable<Value> = Value | Promise<Value>;

/** Storage for a relay's invitation and machines. */
export interface Enrollments {
  invitation(): Awaitable<Invitation | undefined>;
  /** Replaces or removes the invitation atomically. @returns the previous one */
  change(next: (before: Invitation | undefined) => Invitation | undefined): Awaitable<Invitation | undefined>;
  enroll(machine: Machine): Awaitable<void>;
}

/** Enrolls a machine that has the code of an invitation. A code works once and allows {@link PAIRING_TRIES} attempts. */
export function enrollMachine(enrollments: Enrollments, socket: RelaySocket, now: () => number = Date.now): RelayConnection {
  const say = (message: PairingMessage): void => socket.send(JSON.stringify(message));
  const isOpen = (invitation: Invitation | undefined): invitation is Invitation =>
    invitation !== undefined && invitation.left > 0 && now() < invitation.expires;
  const hear = async (text: string): Promise<void> => {
    const message = parsePairingMessage(text);
    if (message?.type !== 'pair_join') {
      const invitation = await enrollments.invitation();
      if (!isOpen(invitation)) return socket.close(4004, 'No invitation is open.');
      return message?.type === 'pair_hello' ? say({ type: 'pair_salt', salt: invitation.salt }) : socket.close(4400, 'A message could not be read.');
    }
    // Count the try before checking the code, so that concurrent attempts count separately.
    const invitation = await enrollments.change((before) => (isOpen(before) ? { ...before, left: before.left - 1 } : before));
    if (!isOpen(invitation)) return socket.close(4004, 'No invitation is open.');
    // A relay has no keys. The machine only learns that the relay knows the code.
    const self: PairedDevice = { identity: (await createDevice()).identity, name: 'relay' };
    const answer = await answerJoin(invitation, self, message);
    if (answer === undefined) return say({ type: 'pair_refused', left: invitation.left - 1 });
    // Of two concurrent attempts with the right code, the second one fails.
    const used = await enrollments.change((before) => (before?.salt === invitation.salt ? undefined : before));
    if (used?.salt !== invitation.salt) return socket.close(4004, 'No invitation is open.');
    await enrollments.enroll({ identity: message.identity, name: message.name, at: now() });
    say(answer);
  };
  let turn = Promise.resolve();
  return {
    text: (text) => {
      turn = turn.then(() => hear(text)).catch(() => socket.close(CLOSE_CODES.restarting.code, 'The relay cannot reach its records.'));
    },
    closed: () => {},
  };
}
