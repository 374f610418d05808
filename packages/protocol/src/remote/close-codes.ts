import type { ErrorCode } from '../error-codes.ts';

/** The meaning of a close code: whether a party may reconnect, and a message for users. */
interface CloseMeaning {
  readonly code: number;
  /** `fatal`: the same attempt would be rejected again. `retry`: reconnect with back-off. */
  readonly next: 'fatal' | 'retry';
  readonly text: string;
  /** The same as an error, for calls that end with the connection and for exit codes. */
  readonly error: ErrorCode;
}

/** All reasons for which Synapse closes a connection. 4000–4999 are for applications (RFC 6455, 7.4.2). */
export const CLOSE_CODES = {
  done: { code: 1000, error: 'unavailable', next: 'retry', text: 'The other side closed the connection.' },
  going_away: { code: 1001, error: 'unavailable', next: 'retry', text: 'The other side is going away.' },
  restarting: { code: 1012, error: 'unavailable', next: 'retry', text: 'The relay restarts.' },
  unauthorized: { code: 4001, error: 'denied', next: 'fatal', text: 'The relay does not accept this key. Pair this machine again: synapse pair.' },
  out_of_scope: { code: 4003, error: 'denied', next: 'fatal', text: 'This key may not use the session. Ask its owner for a grant.' },
  gone: { code: 4004, error: 'not_found', next: 'fatal', text: 'Session not found at the relay. Check its name.' },
  origin: {
    code: 4006,
    error: 'denied',
    next: 'fatal',
    text: 'The relay lets in no pages of this origin. Start it with --allow-origin and the origin of the page, and without --dev.',
  },
  flow: { code: 4008, error: 'unavailable', next: 'retry', text: 'More was sent than the credit allowed.' },
  replaced: {
    code: 4009,
    error: 'conflict',
    next: 'fatal',
    text: 'Another machine took over this session. Stop that one first, or use another --name.',
  },
  version: { code: 4010, error: 'unavailable', next: 'fatal', text: 'The versions of the protocol do not match. Update Synapse on both sides.' },
  malformed: { code: 4400, error: 'unavailable', next: 'retry', text: 'A message could not be read.' },
  silent: {
    code: 4408,
    error: 'unavailable',
    next: 'retry',
    text: 'Nothing was heard for too long. Check the network, and that the URL is that of a relay.',
  },
  gap: { code: 4409, error: 'unavailable', next: 'retry', text: 'A message is missing; the connection is resumed.' },
  too_large: { code: 4413, error: 'too_large', next: 'retry', text: 'A message was larger than 256 KiB.' },
  unclaimed: {
    code: 4425,
    error: 'unavailable',
    next: 'retry',
    text: 'The machine has not connected to this relay yet. Start synapse connect there.',
  },
  busy: { code: 4429, error: 'busy', next: 'retry', text: 'Too many connections to this session, or of this device. Close some of them.' },
  unreadable: {
    code: 4503,
    error: 'unavailable',
    next: 'retry',
    text: 'The relay cannot reach its records. Check that most of its NATS servers run.',
  },
} as const satisfies Record<string, CloseMeaning>;

/** A name from the fixed set of reasons. */
export type CloseReason = keyof typeof CLOSE_CODES;

const BY_CODE: ReadonlyMap<number, CloseMeaning> = new Map(Object.values(CLOSE_CODES).map((row) => [row.code, row]));

/** Returns the meaning of a close code. An unknown code, such as 1006, means a broken connection, so reconnect. */
export function closeMeaning(code: number): CloseMeaning {
  return BY_CODE.get(code) ?? { code, error: 'unavailable', next: 'retry', text: `The connection broke (code ${code}).` };
}
