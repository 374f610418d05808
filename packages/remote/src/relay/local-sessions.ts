import { Mailboxes } from './mailboxes.ts';
import { RelayHost, type RelayConnection, type RelayHostOptions, type RelaySocket } from './relay-host.ts';
import type { SessionTarget } from './relay-backend.ts';
import type { RelayFigures } from './relay-figures.ts';
import type { RelayStore } from './relay-store.ts';

/** The sessions that one process runs, with their mailboxes. */
export class LocalSessions implements Disposable {
  readonly #host: RelayHost;
  readonly #mailboxes: Mailboxes;

  constructor(store: RelayStore, options: RelayHostOptions) {
    const { isEnrolled, askEnrolled = isEnrolled } = options;
    this.#host = new RelayHost(store, options);
    this.#mailboxes = new Mailboxes({
      proves: askEnrolled !== undefined,
      mayWait: async (session, identity) =>
        askEnrolled === undefined || ((await askEnrolled(identity)) && (this.#host.ownerOf(session) ?? identity) === identity),
    });
  }

  connect({ to, session }: SessionTarget, socket: RelaySocket, audience: string): RelayConnection {
    return (to === 's' ? this.#host : this.#mailboxes).connect(session, socket, audience);
  }

  /** Counts the sessions, parties and calls of this process. */
  figures(): RelayFigures {
    return this.#host.figures();
  }

  /** Whether a session is in memory. */
  has(session: string): boolean {
    return this.#host.has(session) || this.#mailboxes.has(session);
  }

  /** Closes the connections of a session that this process no longer holds. */
  drop(session: string): void {
    this.#host.drop(session);
    this.#mailboxes.drop(session);
  }

  [Symbol.dispose](): void {
    this.#host[Symbol.dispose]();
  }
}
