import { deviceOf, type RelayState } from '@synapse/protocol/remote';
import * as z from 'zod';

const Count = z.object({ frames: z.number(), bytes: z.number() });

/** Data attached to a connection to restore it after hibernation. */
export const Attachment = z.object({
  conn: z.number(),
  nonce: z.string(),
  /** The relay and the session that were dialed. */
  audience: z.string(),
  /** Set after hello. */
  party: z
    .object({
      role: z.enum(['hands', 'brain']),
      inst: z.string(),
      device: z.string(),
      /** Counters of both sides, if no frame is pending. Without them the connection cannot continue. */
      channel: z.object({ sent: Count, granted: Count, limit: Count, received: Count, told: Count, appends: z.boolean().default(false) }).optional(),
    })
    .optional(),
});
export type Attachment = z.infer<typeof Attachment>;

const NOTHING = '{}';

/** Returns the data to attach to a connection; undefined if it did not change. @param isQuiet whether the counters will stay as they are */
export function attachmentOf(state: RelayState, conn: number, before: Attachment, isQuiet: boolean): Attachment | undefined {
  const inst = state.connections.get(conn)?.inst;
  const party = inst === undefined ? undefined : state.parties.get(inst);
  if (party?.conn !== conn || party.device === undefined) return undefined;
  const { sent, granted, limit, received, told, appends, unacked, waiting } = party.channel;
  const channel =
    isQuiet && unacked.length + waiting.length + party.due.size + party.inbox.length === 0
      ? { channel: { sent, granted, limit, received, told, appends } }
      : {};
  const next: Attachment = { ...before, party: { role: party.role, inst: party.inst, device: party.device, ...channel } };
  return JSON.stringify(next.party) === JSON.stringify(before.party ?? NOTHING) ? undefined : next;
}

/**
 * Restores a connection that stayed open during hibernation. Returns undefined if it must be resumed instead: a frame was
 * pending when the object was stopped, or the device has lost its access to the session.
 */
export function wake(state: RelayState, { conn, nonce, party }: Attachment, now: number): RelayState | undefined {
  const connections = new Map(state.connections).set(conn, { nonce, openedAt: now, heard: now, inst: party?.inst });
  if (party === undefined) return { ...state, connections };
  const { role, inst, device, channel } = party;
  const isKnown = role === 'hands' ? inst === state.hands : (state.grants ?? []).some((grant) => deviceOf(grant) === device && now < grant.expires);
  if (channel === undefined || !isKnown) return undefined;
  const restored = { ...channel, online: true, lost: false, unacked: [], waiting: [], waitingSize: 0 };
  return {
    ...state,
    connections,
    parties: new Map(state.parties).set(inst, { role, inst, device, conn, channel: restored, seen: now, due: new Set(), inbox: [] }),
  };
}
