import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type Server } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { McpService } from '../open-service.ts';
import { eventLog } from './event-log.ts';
import { cancelledIds, type PlainCall, RequestIds } from '../parse-message.ts';
import { StartedCalls } from '../started-calls.ts';
import { SoonAnswers, type SoonAnswer } from './soon-answers.ts';

/** Maximum number of clients. A further client replaces the longest idle one without pending responses. */
export const MAX_SESSIONS = 64;
/** Milliseconds of inactivity, with no open connection, until a session ends and its running calls are cancelled. */
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 30_000;
/** Milliseconds until a client reconnects for the rest of a broken stream. */
const RETRY_MS = 1_000;

/** A client of the 2025 protocols, from its `initialize` on. */
export interface Session {
  /** Ids of the client's requests. */
  readonly ids: RequestIds;
  /** Answers a call that ends quickly; undefined if {@link handle} has to answer it. Its id was taken before. */
  answerSoon(call: PlainCall, protocol: string | undefined): Promise<SoonAnswer | undefined>;
  /** Answers one request, whose ids were taken before. */
  handle(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response>;
  /** Keeps the session while a response is pending. */
  hold(): Disposable;
}

/** The sessions of clients of the 2025 protocols. */
export interface Sessions {
  find(id: string): Session | undefined;
  /** Opens a session for a new client; undefined if all are taken and busy. */
  open(): Promise<Session | undefined>;
  /** Ends all sessions and their calls. */
  close(): Promise<void>;
}

interface Entry extends Session {
  readonly end: () => Promise<void>;
  /** Pending responses. */
  held: number;
  usedAt: number;
}

/** What a session consists of. */
interface SessionParts {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly started: StartedCalls;
  readonly soon: SoonAnswers;
}

function entryOf({ server, transport, started, soon }: SessionParts): Entry {
  const ids = new RequestIds();
  const entry: Entry = {
    ids,
    held: 0,
    usedAt: performance.now(),
    end: () => server.close(),
    async answerSoon(call, protocol) {
      const answer = await soon.answer(call, protocol);
      if (answer !== undefined) ids.release(call);
      return answer;
    },
    async handle(request, body, authInfo) {
      for (const cancelled of cancelledIds(body)) started.cancel(cancelled);
      const response = await transport.handleRequest(request, { parsedBody: body, authInfo });
      // Refused before it began: its id is unknown to clients.
      if (transport.sessionId === undefined) await server.close();
      if (!response.ok) ids.release(body);
      return response;
    },
    hold() {
      entry.held += 1;
      return {
        [Symbol.dispose]() {
          entry.held -= 1;
          entry.usedAt = performance.now();
        },
      };
    },
  };
  return entry;
}

/** @param idleMs for tests */
export function openSessions(
  service: Pick<McpService, 'createServer' | 'onChanged' | 'tell' | 'endSession' | 'answer' | 'ending'>,
  idleMs = IDLE_MS,
): Sessions {
  const entries = new Map<string, Entry>();
  const log = eventLog();

  const silent = (): [string, Entry][] => [...entries].filter(([, { held }]) => held === 0).toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
  const sweep = setInterval(
    () => {
      for (const [, entry] of silent()) if (performance.now() - entry.usedAt > idleMs) void entry.end();
    },
    Math.min(SWEEP_MS, idleMs),
  );
  sweep.unref();

  const makeRoom = async (): Promise<boolean> => {
    if (entries.size < MAX_SESSIONS) return true;
    const [oldest] = silent();
    // Its client gets "no session", and starts a new one as the protocol says.
    await oldest?.[1].end();
    return oldest !== undefined;
  };

  return {
    find: (id) => entries.get(id),
    async open() {
      if (!(await makeRoom())) return undefined;
      const id = randomUUID();
      // Records use a separate id: with the one on the wire, their readers could join the session.
      const recorded = randomUUID();
      const started = new StartedCalls();
      const server = service.createServer(recorded, started);
      const soon = new SoonAnswers({ server, service, started, sessionId: recorded, ending: service.ending });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: log.ofSession(id),
        retryInterval: RETRY_MS,
      });
      const entry = entryOf({ server, transport, started, soon });
      // Sending to a disconnected client fails; that is no error.
      const stopListening = service.onChanged((change) => void service.tell(server, recorded, change).catch(() => {}));
      const onclose = (): void => {
        stopListening();
        entries.delete(id);
        log.forget(id);
        void service.endSession(recorded);
      };
      Object.assign(server, { onclose } satisfies Pick<Server, 'onclose'>);
      entries.set(id, entry);
      await server.connect(transport);
      return entry;
    },
    async close() {
      clearInterval(sweep);
      await Promise.allSettled([...entries.values()].map(({ end }) => end()));
    },
  };
}
