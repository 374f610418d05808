import { isJSONRPCErrorResponse, isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResultResponse } from '@modelcontextprotocol/server';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Maximum number of bytes and events kept for redelivery, per session and in total. The oldest are dropped first. */
export interface EventLimits {
  readonly sessionBytes: number;
  readonly sessionEvents: number;
  readonly totalBytes: number;
}
const LIMITS: EventLimits = { sessionBytes: 2 * 1024 * 1024, sessionEvents: 500, totalBytes: 16 * 1024 * 1024 };

interface StoredEvent {
  readonly session: string;
  readonly stream: string;
  /** Serialized: a parsed message takes several times the memory, and its size is unknown. */
  readonly text: string;
  readonly bytes: number;
}

/** Events sent on streams, kept for clients whose connection broke. */
export interface EventLog {
  /** Returns the store of one session; other sessions cannot read it. */
  ofSession(session: string): EventStore;
  forget(session: string): void;
  /** Returns the size of what is currently kept. */
  size(): { readonly bytes: number; readonly events: number };
}

interface SessionEvents {
  readonly events: Map<string, StoredEvent>;
  bytes: number;
}

/** Returns the message of an event; undefined for the first of a stream, which only marks where to resume. */
function messageOf({ text }: StoredEvent): JSONRPCMessage | undefined {
  const message: unknown = JSON.parse(text);
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) return message;
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message : undefined;
}

/** Creates a bounded event log in memory. */
export function eventLog(limits: EventLimits = LIMITS): EventLog {
  const all = new Map<string, StoredEvent>();
  const sessions = new Map<string, SessionEvents>();
  let bytes = 0;
  let last = 0;
  const remove = (id: string, event: StoredEvent): void => {
    all.delete(id);
    bytes -= event.bytes;
    const own = sessions.get(event.session);
    if (own === undefined) return;
    own.events.delete(id);
    own.bytes -= event.bytes;
    if (own.events.size === 0) sessions.delete(event.session);
  };
  const bound = (own: SessionEvents, newest: string): void => {
    for (const [id, event] of own.events) {
      // The newest event is kept even over the session limit: its client may be about to fetch it.
      if (id === newest) break;
      if (own.bytes <= limits.sessionBytes && own.events.size <= limits.sessionEvents) break;
      remove(id, event);
    }
    for (const [id, event] of all) {
      if (bytes <= limits.totalBytes) return;
      remove(id, event);
    }
  };
  return {
    ofSession: (session) => {
      const eventsOf = (): ReadonlyMap<string, StoredEvent> => sessions.get(session)?.events ?? new Map<string, StoredEvent>();
      return {
        storeEvent: async (stream, message) => {
          last += 1;
          const id = String(last);
          const text = JSON.stringify(message);
          const event = { session, stream, text, bytes: Buffer.byteLength(text) };
          let own = sessions.get(session);
          if (own === undefined) sessions.set(session, (own = { events: new Map(), bytes: 0 }));
          own.events.set(id, event);
          own.bytes += event.bytes;
          all.set(id, event);
          bytes += event.bytes;
          bound(own, id);
          return id;
        },
        getStreamIdForEventId: async (id) => eventsOf().get(id)?.stream,
        replayEventsAfter: async (lastId, { send }) => {
          const { stream } = eventsOf().get(lastId) ?? {};
          if (stream === undefined) throw new Error('The event is not kept any more.');
          // A copy: events may arrive while one is sent.
          for (const [id, event] of Array.from(eventsOf())) {
            if (event.stream !== stream || Number(id) <= Number(lastId)) continue;
            const message = messageOf(event);
            if (message !== undefined) await send(id, message);
          }
          return stream;
        },
      };
    },
    forget: (session) => {
      for (const [id, event] of sessions.get(session)?.events ?? []) remove(id, event);
    },
    size: () => ({ bytes, events: all.size }),
  };
}
