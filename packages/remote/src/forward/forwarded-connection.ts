import type { Duplex } from 'node:stream';
import { PIECE_BYTES, type ConnectionOp } from '@synapse/protocol/remote';

/** Bytes of a connection that its receiver keeps, and takes before the program there has read them. */
export const CONNECTION_BYTES = 131_072;

const NOTHING = Buffer.alloc(0);

/** A connection at this end. */
export interface LocalEnd {
  readonly stream: Duplex;
  /** Ends it as broken. */
  readonly reset: () => void;
}

/** The name of a connection at both ends. */
interface ConnectionName {
  readonly token: string;
  readonly conn: number;
}

/** Receives what a connection has to say. */
interface ConnectionListener {
  say(op: ConnectionOp): void;
  /** There may be a piece to send. */
  ready(): void;
  /** Called once, when nothing of it is left. */
  over(): void;
}

/**
 * One end of a forwarded connection. Each direction has a credit, and ends on its own. What does not continue where the last piece ended
 * breaks the connection: a relay that leaves out, repeats or swaps pieces must not change what a program reads.
 */
export class ForwardedConnection {
  readonly #name: ConnectionName;
  readonly #local: LocalEnd;
  readonly #to: ConnectionListener;
  /** Was read here, and waits for credit. */
  #rest: Buffer = NOTHING;
  #sent = 0;
  #allowed = CONNECTION_BYTES;
  #received = 0;
  /** Bytes that the program here has taken. */
  #taken = 0;
  #told = CONNECTION_BYTES;
  /** The program here has nothing more to send; that was said. */
  #isRead = false;
  #saidEnd = false;
  #heardEnd = false;
  #isOver = false;

  constructor(name: ConnectionName, local: LocalEnd, to: ConnectionListener) {
    [this.#name, this.#local, this.#to] = [name, local, to];
    const { stream } = local;
    stream.on('readable', () => to.ready());
    stream.on('end', () => {
      this.#isRead = true;
      to.ready();
    });
    stream.on('finish', () => this.#settle());
    stream.on('error', () => this.break());
    stream.on('close', () => this.#closed());
  }

  /** The bytes that were sent and received so far. */
  get bytes(): { readonly sent: number; readonly received: number } {
    return { sent: this.#sent, received: this.#received };
  }

  /** Returns the next piece of at most so many bytes, or the end; undefined if there is none, or no credit. */
  next(most: number): ConnectionOp | undefined {
    if (this.#isOver || this.#saidEnd) return undefined;
    if (this.#rest.length === 0) this.#rest = this.#read();
    const length = Math.min(this.#rest.length, PIECE_BYTES, this.#allowed - this.#sent, most);
    if (length > 0) {
      const at = this.#sent;
      const data = this.#rest.subarray(0, length).toString('base64');
      this.#rest = this.#rest.subarray(length);
      this.#sent += length;
      return { op: 'data', ...this.#name, at, data };
    }
    if (this.#rest.length > 0 || !this.#isRead) return undefined;
    this.#saidEnd = true;
    // After it, so that the other end hears of the end first.
    queueMicrotask(() => this.#settle());
    return { op: 'end', ...this.#name, at: this.#sent };
  }

  #read(): Buffer {
    const read: unknown = this.#local.stream.read();
    return Buffer.isBuffer(read) ? read : NOTHING;
  }

  take(op: ConnectionOp): void {
    if (this.#isOver) return;
    if (op.op === 'credit') {
      this.#allowed = Math.max(this.#allowed, op.bytes);
      this.#to.ready();
    } else if (op.op === 'reset') this.#broken();
    else if (op.op === 'data') this.#add(op.at, Buffer.from(op.data, 'base64'));
    else if (op.op === 'end') this.#end(op.at);
  }

  #add(at: number, data: Buffer): void {
    if (at !== this.#received || this.#heardEnd || at + data.length > this.#told) return this.break();
    this.#received += data.length;
    // The program here takes nothing more. The other end is about to hear that.
    if (!this.#local.stream.writable) return;
    this.#local.stream.write(data, () => {
      this.#taken += data.length;
      const credit = this.#taken + CONNECTION_BYTES;
      if (this.#isOver || this.#heardEnd || credit - this.#told < CONNECTION_BYTES / 4) return;
      this.#told = credit;
      this.#to.say({ op: 'credit', ...this.#name, bytes: credit });
    });
  }

  #end(at: number): void {
    if (at !== this.#received) return this.break();
    this.#heardEnd = true;
    this.#local.stream.end();
  }

  /** Ends it at both ends, as broken. */
  break(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#to.say({ op: 'reset', ...this.#name });
    this.#leave(this.#local.reset);
  }

  /** It broke at the other end. What came before its end is still delivered. */
  #broken(): void {
    this.#isOver = true;
    const { stream } = this.#local;
    if (!this.#heardEnd) this.#leave(this.#local.reset);
    else if (stream.writableFinished) this.#leave(() => stream.destroy());
    else stream.once('finish', () => this.#leave(() => stream.destroy()));
  }

  #leave(end: () => void): void {
    if (this.#local.stream.closed) return this.#to.over();
    end();
  }

  /** Ends it if both directions have ended, or if one has and the program here takes nothing for the other. */
  #settle(): void {
    const { stream } = this.#local;
    if (this.#isOver || !this.#saidEnd) return;
    if (this.#heardEnd && stream.writableFinished) {
      this.#isOver = true;
      this.#leave(() => stream.destroy());
    } else if (stream.closed) this.break();
  }

  #closed(): void {
    if (this.#isOver) return this.#to.over();
    // Before its end. Otherwise, what was read is still sent.
    if (this.#isRead) this.#settle();
    else this.break();
  }
}
