/** Whether a party that was closed with a code may come back, and what to tell a person. */
interface CloseMeaning {
  readonly code: number;
  /** `fatal`: the same attempt would be refused again. `retry`: reconnect with back-off. */
  readonly next: 'fatal' | 'retry';
  readonly text: string;
}

/** Every reason for which Synapse closes a connection. 4000–4999 are for applications (RFC 6455, 7.4.2). */
export const CLOSE_CODES = {
  done: { code: 1000, next: 'retry', text: 'The other side closed the connection.' },
  going_away: { code: 1001, next: 'retry', text: 'The other side is going away.' },
  restarting: { code: 1012, next: 'retry', text: 'The relay restarts.' },
  unauthorized: { code: 4001, next: 'fatal', text: 'The relay does not accept this key. Pair this machine again: synapse pair.' },
  out_of_scope: { code: 4003, next: 'fatal', text: 'This key may not use the session. Ask its owner for a grant.' },
  gone: { code: 4004, next: 'fatal', text: 'Session not found at the relay. Check its name.' },
  flow: { code: 4008, next: 'retry', text: 'More was sent than the credit allowed.' },
  replaced: { code: 4009, next: 'fatal', text: 'Another machine took over this session. Stop that one first, or use another --name.' },
  version: { code: 4010, next: 'fatal', text: 'The versions of the protocol do not match. Update Synapse on both sides.' },
  malformed: { code: 4400, next: 'retry', text: 'A message could not be read.' },
  silent: { code: 4408, next: 'retry', text: 'Nothing was heard for too long.' },
  gap: { code: 4409, next: 'retry', text: 'A message is missing; the connection is resumed.' },
  too_large: { code: 4413, next: 'retry', text: 'A message was larger than 256 KiB.' },
  busy: { code: 4429, next: 'retry', text: 'Too many connections to this session.' },
} as const satisfies Record<string, CloseMeaning>;

/** One of the closed set of reasons. */
export type CloseReason = keyof typeof CLOSE_CODES;

const BY_CODE: ReadonlyMap<number, CloseMeaning> = new Map(Object.values(CLOSE_CODES).map((row) => [row.code, row]));

/** What a close code means. Total: a code that is not in the table, such as 1006, is a broken line, so reconnect. */
export function closeMeaning(code: number): CloseMeaning {
  return BY_CODE.get(code) ?? { code, next: 'retry', text: `The connection broke (code ${code}).` };
}
