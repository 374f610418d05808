import {
  checkHello,
  CLOSE_CODES,
  NEW_SESSION,
  newRelay,
  relayStep,
  RemoteGrant,
  toBase64Url,
  type RelayedCall,
  type RelayEffect,
  type RelayEvent,
  type RelayState,
} from '@synapse/protocol/remote';
import * as z from 'zod';
import { limitPairing } from '../relay/limit-pairing.ts';
import { Mailboxes } from '../relay/mailboxes.ts';
import { pingPong, socketPair, upgraded, type ObjectState, type RelayEnvironment, type WorkerSocket } from './cloudflare.ts';
import { Attachment, attachmentOf, wake } from './hibernation.ts';

/** Milliseconds of silence after which the relay sends its acknowledgments. Then nothing keeps it awake. */
const QUIET_MS = 1_000;
const KEEP_CALL_MS = 7 * 86_400_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, call TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
`;

const Record = z.object({
  epoch: z.number(),
  ledger: z.string().optional(),
  hands: z.string().optional(),
  owner: z.string().optional(),
  grants: z.array(RemoteGrant).optional(),
});

/** A session: the hands of one machine and the brains that use them. It hibernates while idle, with open connections. */
export class SessionObject {
  readonly #context: ObjectState;
  readonly #environment: RelayEnvironment;
  readonly #sockets = new Map<number, WorkerSocket>();
  /** The attachments of the sockets, because reading one takes time. */
  readonly #attached = new WeakMap<WorkerSocket, Attachment>();
  readonly #checking = new Map<number, Promise<void>>();
  readonly #mailboxes: Mailboxes;
  #state: RelayState;
  #connections = 0;
  /** Whether the attachments have no counters, because those change with each message. They get them when the session is quiet. */
  #busy = false;
  #lastEvent = 0;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ObjectState, environment: RelayEnvironment) {
    this.#context = context;
    this.#environment = environment;
    context.storage.sql.exec(SCHEMA);
    context.setWebSocketAutoResponse(pingPong());
    this.#state = this.#read();
    this.#mailboxes = new Mailboxes({
      proves: true,
      mayWait: async (session, identity) => (this.#state.owner ?? identity) === identity && (await this.#isEnrolled(session, identity)),
    });
    this.#wake();
  }

  #read(): RelayState {
    const { sql } = this.#context.storage;
    const [row] = [...sql.exec('SELECT record FROM session')];
    const calls = [...sql.exec('SELECT id, call FROM calls')];
    const record = row === undefined ? NEW_SESSION : Record.parse(JSON.parse(String(row['record'])));
    const { epoch, ledger, hands, owner, grants } = record;
    // The relay keeps one name across wake-ups, so that connected clients continue where they were.
    return newRelay('object', 'paired', {
      epoch,
      ledger,
      hands,
      owner,
      grants,
      // Written by this object itself.
      calls: new Map(calls.map(({ id, call }) => [String(id), JSON.parse(String(call)) as RelayedCall])),
    });
  }

  /** Restores the connections that stayed open during hibernation. */
  #wake(): void {
    for (const socket of this.#context.getWebSockets()) {
      const attachment = this.#attachment(socket);
      const woken = attachment && wake(this.#state, attachment, Date.now());
      if (attachment === undefined || woken === undefined) socket.close(4409, 'A message is missing; the connection is resumed.');
      else {
        this.#state = woken;
        this.#sockets.set(attachment.conn, socket);
        this.#connections = Math.max(this.#connections, attachment.conn);
      }
    }
  }

  async #isEnrolled(session: string, identity: string): Promise<boolean> {
    const account = this.#environment.ACCOUNT;
    const query = new URLSearchParams({ session, identity });
    return (await account.get(account.idFromName('account')).fetch(`https://account/enrolled?${query.toString()}`)).ok;
  }

  #attachment(socket: WorkerSocket): Attachment | undefined {
    const known = this.#attached.get(socket);
    if (known !== undefined) return known;
    const read = Attachment.safeParse(socket.deserializeAttachment());
    if (read.success) this.#attached.set(socket, read.data);
    return read.data;
  }

  #attach(socket: WorkerSocket, attachment: Attachment): void {
    this.#attached.set(socket, attachment);
    socket.serializeAttachment(attachment);
  }

  /** Attaches to the connections what restores them. */
  #attachAll(): void {
    for (const [conn, socket] of this.#sockets) {
      const before = this.#attachment(socket);
      const attachment = before && attachmentOf(this.#state, conn, before, !this.#busy);
      if (attachment !== undefined) this.#attach(socket, attachment);
    }
  }

  #event(event: RelayEvent): void {
    const isFirstText = event.type === 'text' && this.#state.connections.get(event.conn)?.inst === undefined;
    const [state, effects] = relayStep(this.#state, event);
    this.#state = state;
    // The platform holds back messages until preceding writes are durable.
    for (const effect of effects) this.#perform(effect);
    if (event.type === 'tick') return;
    const isCurrent = this.#busy && !isFirstText;
    this.#busy = true;
    if (!isCurrent) this.#attachAll();
    this.#lastEvent = Date.now();
    if (this.#quiet === undefined) this.#quiet = setTimeout(() => this.#rest(), QUIET_MS);
  }

  /** Goes quiet, if nothing has happened for a time. */
  #rest(): void {
    const left = this.#lastEvent + QUIET_MS - Date.now();
    if (left <= 0) this.#tick();
    // Who says no hello is cut off after a time. Anybody could hold many connections.
    const isMute = [...this.#state.connections.values()].some(({ inst }) => inst === undefined);
    this.#quiet = left > 0 || isMute ? setTimeout(() => this.#rest(), left > 0 ? left : QUIET_MS) : undefined;
  }

  #perform(effect: RelayEffect): void {
    const { sql } = this.#context.storage;
    if (effect.type === 'send') this.#sockets.get(effect.conn)?.send(effect.text);
    else if (effect.type === 'settle') setTimeout(() => this.#event({ type: 'settle', now: Date.now() }), effect.afterMs);
    else if (effect.type === 'close') {
      this.#sockets.get(effect.conn)?.close(effect.code, effect.reason.slice(0, 100));
      this.#sockets.delete(effect.conn);
    } else if (effect.what === 'session') {
      sql.exec('INSERT INTO session VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET record = excluded.record', JSON.stringify(effect.session));
      void this.#setAlarm();
    } else if (effect.call === undefined) sql.exec('DELETE FROM calls WHERE id = ?', effect.id);
    else {
      const { call, id } = effect;
      sql.exec('INSERT INTO calls VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET call = excluded.call', id, JSON.stringify(call), call.at);
    }
  }

  /** Sets an alarm for the next expiry of a grant or a stored call. */
  async #setAlarm(): Promise<void> {
    const now = Date.now();
    const ends = [...(this.#state.grants ?? []).map(({ expires }) => expires), ...[...this.#state.calls.values()].map(({ at }) => at + KEEP_CALL_MS)];
    const next = Math.min(...ends.filter((time) => time > now));
    if (Number.isFinite(next)) await this.#context.storage.setAlarm(next);
    else await this.#context.storage.deleteAlarm();
  }

  #tick(): void {
    const now = Date.now();
    // Pings are answered during hibernation and count as activity.
    const connections = new Map(this.#state.connections);
    for (const [conn, socket] of this.#sockets) {
      const pinged = this.#context.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      const known = connections.get(conn);
      if (known !== undefined && pinged > known.heard) connections.set(conn, { ...known, heard: pinged });
    }
    this.#state = { ...this.#state, connections };
    this.#event({ type: 'tick', now });
    this.#busy = false;
    this.#attachAll();
  }

  async alarm(): Promise<void> {
    this.#tick();
    await this.#setAlarm();
  }

  fetch(request: Request): Response {
    const { pathname, host } = new URL(request.url);
    if (pathname === '/removed') {
      this.#event({ type: 'removed', identity: new URL(request.url).searchParams.get('identity') ?? '', now: Date.now() });
      return new Response();
    }
    const [, , to = '', session = ''] = pathname.split('/');
    const audience = `${host} ${session}`;
    const { client, server } = socketPair();
    if (to === 'pair') {
      // Pairing takes minutes and may keep this object awake.
      server.accept();
      const end = (): void => server.close(CLOSE_CODES.silent.code, CLOSE_CODES.silent.text);
      const connection = limitPairing(this.#mailboxes.connect(session, server, audience), end);
      server.addEventListener('message', ({ data }) => connection.text(typeof data === 'string' ? data : ''));
      server.addEventListener('close', () => connection.closed());
      server.addEventListener('error', () => connection.closed());
      return upgraded(client);
    }
    this.#connections += 1;
    const conn = this.#connections;
    const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    this.#context.acceptWebSocket(server);
    this.#attach(server, { conn, nonce, audience });
    this.#sockets.set(conn, server);
    this.#event({ type: 'opened', conn, nonce, now: Date.now() });
    return upgraded(client);
  }

  async webSocketMessage(socket: WorkerSocket, message: unknown): Promise<void> {
    const attachment = this.#attachment(socket);
    if (attachment === undefined) return;
    const { conn } = attachment;
    const text = typeof message === 'string' ? message : '';
    const isGreeted = this.#state.connections.get(conn)?.inst !== undefined;
    const before = this.#checking.get(conn);
    if (isGreeted && before === undefined) return this.#event({ type: 'text', conn, text, now: Date.now() });
    // The first text identifies the party. Later texts wait until its signature is verified.
    const check = async (): Promise<void> => {
      await before;
      const session = attachment.audience.split(' ')[1] ?? '';
      const entrance = { ...attachment, isEnrolled: (identity: string) => this.#isEnrolled(session, identity) };
      const proof = before === undefined ? await checkHello(text, entrance) : undefined;
      this.#event({ type: 'text', conn, text, now: Date.now(), ...(proof === undefined ? {} : { proof }) });
    };
    const work = check();
    this.#checking.set(conn, work);
    await work;
    if (this.#checking.get(conn) === work) this.#checking.delete(conn);
  }

  webSocketClose(socket: WorkerSocket): void {
    const attachment = this.#attachment(socket);
    if (attachment === undefined) return;
    this.#sockets.delete(attachment.conn);
    this.#event({ type: 'closed', conn: attachment.conn, now: Date.now() });
  }

  webSocketError(socket: WorkerSocket): void {
    this.webSocketClose(socket);
  }
}
