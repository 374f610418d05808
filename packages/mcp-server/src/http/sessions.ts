import { WebStandardStreamableHTTPServerTransport, type AuthInfo } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { McpService } from '../open-service.ts';
import { eventLog } from './event-log.ts';
import type { PlainCall } from '../plain-call.ts';
import { StartedCalls } from '../started-calls.ts';
import { cancelledIds, RequestIds } from './request-ids.ts';
import { SoonAnswers, type SoonAnswer } from './soon-answers.ts';

/** Clients at once. Another one takes the place of whoever was silent longest and waits for nothing. */
export const MAX_SESSIONS = 64;
/** Milliseconds of silence, with no open connection, after which a session ends and what it still runs is cancelled. */
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 30_000;
/** Milliseconds after which a client is told to come back for the rest of a stream that broke. */
const RETRY_MS = 1_000;

/** One client of the 2025 protocols, from its `initialize` on. */
export interface Session {
  /** The requests that its client waits for. */
  readonly ids: RequestIds;
  /** Answers a call that is done soon; undefined for one that {@link handle} has to answer. Its id was taken. */
  answerSoon(call: PlainCall, protocol: string | undefined): Promise<SoonAnswer | undefined>;
  /** Answers one request, whose ids were taken. */
  handle(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response>;
  /** Keeps the session while an answer is under way. */
  hold(): Disposable;
}

/** The clients of the 2025 protocols. */
export interface Sessions {
  find(id: string): Session | undefined;
  /** A place for a new client; undefined where all are taken by clients that are at work. */
  open(): Promise<Session | undefined>;
  /** Ends all of them, and with them their calls. */
  close(): Promise<void>;
}

interface Entry extends Session {
  readonly end: () => Promise<void>;
  /** Answers under way. */
  held: number;
  usedAt: number;
}

/** @param idleMs for tests */
export function openSessions(
  service: Pick<McpService, 'createServer' | 'onToolsChanged' | 'endSession' | 'answer' | 'ending'>,
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
    // Its client finds no session any more, and by the protocol begins another.
    await oldest?.[1].end();
    return oldest !== undefined;
  };

  return {
    find: (id) => entries.get(id),
    async open() {
      if (!(await makeRoom())) return undefined;
      const id = randomUUID();
      // The records get an id of their own: with the one on the wire, whoever reads them could join the session.
      const recorded = randomUUID();
      const started = new StartedCalls();
      const server = service.createServer(recorded, started);
      const soon = new SoonAnswers({ server, service, started, sessionId: recorded, ending: service.ending });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: log.ofSession(id),
        retryInterval: RETRY_MS,
      });
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
          // Refused before it began: nobody knows its id.
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
      // A client that has gone hears nothing, and that is no failure.
      const stopListening = service.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server has no other way to tell
      server.onclose = () => {
        stopListening();
        entries.delete(id);
        log.forget(id);
        void service.endSession(recorded);
      };
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
