// The minimum cost of a Durable Object: it stores each message and forwards it.
import { socketPair, upgraded, type ObjectState, type RelayEnvironment, type WorkerSocket } from '../../packages/remote/src/worker/cloudflare.ts';

export class SessionObject {
  readonly #context: ObjectState;

  constructor(context: ObjectState) {
    this.#context = context;
    context.storage.sql.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  }

  fetch(): Response {
    const { client, server } = socketPair();
    this.#context.acceptWebSocket(server);
    return upgraded(client);
  }

  webSocketMessage(socket: WorkerSocket, message: unknown): void {
    const text = String(message);
    this.#context.storage.sql.exec('INSERT INTO messages (text) VALUES (?)', text);
    // Forwards to the other of two connections. The platform sends nothing before it is durable.
    for (const other of this.#context.getWebSockets()) if (other !== socket) other.send(text);
  }
}

/** Unused; required by the configuration. */
export class AccountObject {
  fetch(): Response {
    return new Response(null, { status: 404 });
  }
}

export default {
  fetch: (request: Request, { SESSIONS }: RelayEnvironment): Promise<Response> => SESSIONS.get(SESSIONS.idFromName('one')).fetch(request),
};
