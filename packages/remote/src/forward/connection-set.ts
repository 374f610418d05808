import type { ConnectionOp } from '@synapse/protocol/remote';
import { ForwardedConnection, type LocalEnd } from './forwarded-connection.ts';

/** Bytes of a forward that are on the way to the other end, of all its connections: what a call on the same line waits behind. */
const LINE_BYTES = 131_072;

/** What a set of connections says, and to whom it says that there may be a piece to send. */
interface SetListener {
  say(op: ConnectionOp): void;
  ready(): void;
}

/** The connections of a forward at one end. They send in turn. */
export class ConnectionSet {
  readonly #token: string;
  readonly #to: SetListener;
  readonly #open = new Map<number, ForwardedConnection>();
  readonly #over = { connections: 0, sent: 0, received: 0 };
  #sent = 0;
  #arrived = 0;
  #received = 0;
  #told = 0;

  constructor(token: string, to: SetListener) {
    [this.#token, this.#to] = [token, to];
  }

  /** The number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** The connections so far, and their bytes. */
  get totals(): { readonly connections: number; readonly sent: number; readonly received: number } {
    const open = [...this.#open.values()].map(({ bytes }) => bytes);
    const sum = (what: 'sent' | 'received'): number => open.reduce((total, bytes) => total + bytes[what], this.#over[what]);
    return { connections: this.#over.connections + open.length, sent: sum('sent'), received: sum('received') };
  }

  add(conn: number, local: LocalEnd): void {
    const made = new ForwardedConnection({ token: this.#token, conn }, local, {
      say: (op) => this.#to.say(op),
      ready: () => this.#to.ready(),
      over: () => {
        if (!this.#open.delete(conn)) return;
        this.#over.connections += 1;
        this.#over.sent += made.bytes.sent;
        this.#over.received += made.bytes.received;
      },
    });
    this.#open.set(conn, made);
  }

  take(op: ConnectionOp): void {
    if (op.op === 'got') {
      this.#arrived = Math.min(this.#sent, Math.max(this.#arrived, op.bytes));
      return this.#to.ready();
    }
    if (op.op === 'data') this.#count(Buffer.byteLength(op.data, 'base64'));
    this.#open.get(op.conn)?.take(op);
  }

  /** Counts what arrived, whether its connection is still there or not: it is on the way no more. */
  #count(bytes: number): void {
    this.#received += bytes;
    if (this.#received - this.#told < LINE_BYTES / 4) return;
    this.#told = this.#received;
    this.#to.say({ op: 'got', token: this.#token, bytes: this.#received });
  }

  /** Returns what is to be sent next, of each connection in turn; undefined if nothing can be sent. */
  next(): ConnectionOp | undefined {
    const most = LINE_BYTES - (this.#sent - this.#arrived);
    for (const [conn, one] of this.#open) {
      const op = one.next(most);
      if (op === undefined) continue;
      this.#open.delete(conn);
      this.#open.set(conn, one);
      if (op.op === 'data') this.#sent += Buffer.byteLength(op.data, 'base64');
      return op;
    }
    return undefined;
  }

  /** Breaks all connections. */
  end(): void {
    for (const one of this.#open.values()) one.break();
  }
}
