import { CLOSE_CODES } from '@synapse/protocol/remote';
import { enrollMachine, Invitation, Machine, type Enrollments } from '../relay/enrollment.ts';
import { limitPairing } from '../relay/limit-pairing.ts';
import { socketPair, upgraded, type ObjectState, type RelayEnvironment } from './cloudflare.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS machines (identity TEXT PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS invitation (one INTEGER PRIMARY KEY CHECK (one = 1), invitation TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY);
`;

/** Access to this relay: its machines, and the invitation for the next one. Stores only public keys and a stretched code. */
export class AccountObject implements Enrollments {
  readonly #context: ObjectState;
  readonly #environment: RelayEnvironment;

  constructor(context: ObjectState, environment: RelayEnvironment) {
    this.#context = context;
    this.#environment = environment;
    context.storage.sql.exec(SCHEMA);
  }

  invitation(): Invitation | undefined {
    const [row] = [...this.#context.storage.sql.exec('SELECT invitation FROM invitation')];
    return row === undefined ? undefined : Invitation.parse(JSON.parse(String(row['invitation'])));
  }

  setInvitation(invitation: Invitation | undefined): void {
    const { sql } = this.#context.storage;
    sql.exec('DELETE FROM invitation');
    if (invitation !== undefined) sql.exec('INSERT INTO invitation VALUES (1, ?)', JSON.stringify(invitation));
  }

  change(next: (before: Invitation | undefined) => Invitation | undefined): Invitation | undefined {
    const before = this.invitation();
    const after = next(before);
    if (after !== before) this.setInvitation(after);
    return before;
  }

  enroll({ identity, name, at }: Machine): void {
    this.#context.storage.sql.exec('INSERT OR REPLACE INTO machines VALUES (?, ?, ?)', identity, name, at);
  }

  isEnrolled(identity: string): boolean {
    return [...this.#context.storage.sql.exec('SELECT 1 FROM machines WHERE identity = ?', identity)].length > 0;
  }

  #machines(): Machine[] {
    return [...this.#context.storage.sql.exec('SELECT identity, name, at FROM machines')].map((row) => Machine.parse(row));
  }

  /** Removes a machine and notifies all sessions: sessions it owns become free, and its connections are closed. */
  async #remove(identity: string): Promise<void> {
    const { sql } = this.#context.storage;
    sql.exec('DELETE FROM machines WHERE identity = ?', identity);
    const { SESSIONS } = this.#environment;
    const names = [...sql.exec('SELECT name FROM sessions')].map(({ name }) => String(name));
    await Promise.all(
      names.map((name) => SESSIONS.get(SESSIONS.idFromName(name)).fetch(`https://session/removed?identity=${encodeURIComponent(identity)}`)),
    );
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const identity = searchParams.get('identity') ?? '';
    switch (`${request.method} ${pathname}`) {
      case 'GET /enrolled':
        if (!this.isEnrolled(identity)) return new Response(null, { status: 404 });
        // The machine may claim this session. If the machine is removed, the session is notified.
        this.#context.storage.sql.exec('INSERT OR IGNORE INTO sessions VALUES (?)', searchParams.get('session') ?? '');
        return new Response();
      case 'GET /v1/enroll': {
        const { client, server } = socketPair();
        server.accept();
        const connection = limitPairing(enrollMachine(this, server), () => server.close(CLOSE_CODES.silent.code, CLOSE_CODES.silent.text));
        server.addEventListener('message', ({ data }) => connection.text(typeof data === 'string' ? data : ''));
        server.addEventListener('close', () => connection.closed());
        server.addEventListener('error', () => connection.closed());
        return upgraded(client);
      }
      case 'PUT /v1/admin/invitation': {
        const read = Invitation.safeParse(await request.json());
        if (!read.success) return new Response('Not an invitation.\n', { status: 400 });
        this.setInvitation(read.data);
        return new Response();
      }
      case 'POST /v1/admin/machines': {
        const read = Machine.omit({ at: true }).safeParse(await request.json());
        if (!read.success) return new Response('Not a machine.\n', { status: 400 });
        this.enroll({ ...read.data, at: Date.now() });
        return new Response();
      }
      case 'GET /v1/admin/machines':
        return Response.json({ machines: this.#machines() });
      case 'DELETE /v1/admin/machines':
        await this.#remove(identity);
        return new Response();
      default:
        return new Response('Not found.\n', { status: 404 });
    }
  }
}
