import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Characters of all events that are kept to be sent again, of all sessions together. The oldest go first. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_EVENTS = 10_000;

interface StoredEvent {
  readonly session: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly characters: number;
}

/** What was sent on streams, for clients whose connection broke. */
export interface EventLog {
  /** The part of one session: no other can read it. */
  ofSession(session: string): EventStore;
  forget(session: string): void;
}

/** Keeps events in memory, up to a bound. */
export function eventLog(maxCharacters = MAX_CHARACTERS, maxEvents = MAX_EVENTS): EventLog {
  const events = new Map<string, StoredEvent>();
  let characters = 0;
  let last = 0;
  const remove = (id: string, event: StoredEvent): void => {
    events.delete(id);
    characters -= event.characters;
  };
  const bound = (): void => {
    for (const [id, event] of events) {
      if (characters <= maxCharacters && events.size <= maxEvents) return;
      remove(id, event);
    }
  };
  return {
    ofSession: (session) => {
      const own = (id: string): StoredEvent | undefined => {
        const event = events.get(id);
        return event?.session === session ? event : undefined;
      };
      return {
        storeEvent: async (stream, message) => {
          last += 1;
          const id = String(last);
          const event = { session, stream, message, characters: JSON.stringify(message).length };
          events.set(id, event);
          characters += event.characters;
          bound();
          return id;
        },
        getStreamIdForEventId: async (id) => own(id)?.stream,
        replayEventsAfter: async (lastId, { send }) => {
          const { stream } = own(lastId) ?? {};
          if (stream === undefined) throw new Error('The event is not kept any more.');
          for (const [id, event] of events) {
            // The first event of a stream is empty: it only names the place to go on from.
            if (event.session !== session || event.stream !== stream || Number(id) <= Number(lastId) || !('jsonrpc' in event.message)) continue;
            await send(id, event.message);
          }
          return stream;
        },
      };
    },
    forget: (session) => {
      for (const [id, event] of events) if (event.session === session) remove(id, event);
    },
  };
}
