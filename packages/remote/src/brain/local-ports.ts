import type { Server, Socket } from 'node:net';
import { SynapseError } from '@synapse/protocol';
import type { DataFrames, ForwardOp, Peer } from '@synapse/protocol/remote';
import { ConnectionSet } from '../forward/connection-set.ts';
import type { RemotePort, RemotePortOptions } from './remote-hands.ts';

type Frame = DataFrames['forward'];

/** Connections to a port at the same time. A browser opens 6 to an address. The machine has the same limit for all of a device. */
const MAX_CONNECTIONS = 32;
/** Milliseconds without data after which a connection that its program has closed counts as ended, as in the kernel (tcp_fin_timeout). */
const CLOSED_MS = 60_000;
/** Ticks, of five seconds, in which a machine that is online answers. */
const MAX_UNANSWERED = 6;

const BROWSER = new SynapseError('unavailable', 'Ports can be forwarded by a program of Node only.');
const OLD_RELAY = new SynapseError('unavailable', 'The relay is of an earlier version, and cannot forward ports.', { hint: 'Update Synapse there.' });
const SILENT = new SynapseError('unavailable', 'The machine does not answer.', { hint: 'Update Synapse there, and try again.' });

/** What local ports need from their connection. */
export interface LocalPortsOptions {
  /** Id of this brain. */
  readonly brain: string;
  readonly say: (frame: Frame) => void;
  readonly isOnline: () => boolean;
  /** There may be something to send. */
  readonly onReady: () => void;
}

interface LocalPort {
  job: string;
  wanted: number | undefined;
  readonly workspace: string | undefined;
  readonly server: Server;
  readonly opened: (facts: Extract<ForwardOp, { op: 'opened' }>) => void;
  /** Ends it for good. */
  readonly close: (reason: SynapseError | undefined) => void;
  /** Its number at the machine. Each time that the line is back it gets a new one. */
  forward: number;
  /** The connections, while the machine knows it. */
  line: { readonly token: string; readonly set: ConnectionSet } | undefined;
  unanswered: number;
}

/** Ports here that lead to ports of jobs at the machine. They stay while the line is down; their connections do not. */
export class LocalPorts {
  readonly #options: LocalPortsOptions;
  readonly #open = new Set<LocalPort>();
  #forwards = 0;
  #conns = 0;
  #epoch: number | undefined;

  constructor(options: LocalPortsOptions) {
    this.#options = options;
  }

  #say(op: ForwardOp, must?: true): void {
    this.#options.say({ type: 'forward', brain: this.#options.brain, op, ...(must === undefined ? {} : { must }) });
  }

  /** Opens a port here. Waits for the machine. @throws SynapseError with its reason, if it refuses */
  async open(job: string, { port: wanted, localPort = 0, signal }: RemotePortOptions, workspace?: string): Promise<RemotePort> {
    signal?.throwIfAborted();
    // In browsers there is no `process`.
    const net = (globalThis as Partial<typeof globalThis>).process?.getBuiltinModule?.('node:net');
    if (net === undefined) throw BROWSER;
    const opened = Promise.withResolvers<Extract<ForwardOp, { op: 'opened' }>>();
    const ended = Promise.withResolvers<SynapseError | undefined>();
    const sockets = new Set<Socket>();
    const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on('close', () => void sockets.delete(socket));
      this.#connect(one, socket);
    });
    server.maxConnections = MAX_CONNECTIONS;
    const close = (reason: SynapseError | undefined): void => {
      if (!this.#open.delete(one)) return;
      one.line?.set.end();
      server.close();
      for (const socket of sockets) socket.destroy();
      opened.reject(reason);
      ended.resolve(reason);
    };
    const one: LocalPort = { job, wanted, workspace, server, opened: opened.resolve, close, forward: -1, line: undefined, unanswered: 0 };
    const port = await listen(server, localPort);
    const abort = (): void => {
      this.#say({ op: 'close', forward: one.forward });
      close(new SynapseError('cancelled', 'Stopped before the machine answered.'));
    };
    this.#open.add(one);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (this.#options.isOnline()) this.#ask(one);
      const facts = await opened.promise;
      const dispose = async (): Promise<void> => {
        if (this.#open.has(one)) this.#say({ op: 'close', forward: one.forward });
        close(undefined);
        await ended.promise;
      };
      return { port, job: facts.job, jobPort: facts.port, ended: ended.promise, [Symbol.asyncDispose]: dispose };
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Asks the machine, with a new number: what was said about an earlier one may still be on the way. */
  #ask(one: LocalPort): void {
    if (one.forward >= 0) this.#say({ op: 'close', forward: one.forward });
    one.forward = this.#forwards;
    one.unanswered = 0;
    this.#forwards += 1;
    const { forward, job, wanted: port, workspace } = one;
    this.#say({ op: 'open', forward, job, ...(port === undefined ? {} : { port }), ...(workspace === undefined ? {} : { workspace }) }, true);
  }

  #connect({ line }: LocalPort, socket: Socket): void {
    // The line is down.
    if (line === undefined) return void socket.resetAndDestroy();
    const conn = this.#conns;
    this.#conns += 1;
    socket.on('end', () => socket.setTimeout(CLOSED_MS, () => socket.destroy()));
    this.#say({ op: 'connect', token: line.token, conn });
    line.set.add(conn, { stream: socket, reset: () => socket.resetAndDestroy() });
  }

  /** Takes what the machine says. */
  take({ op }: Frame): void {
    if (op === null) return;
    if (op.op === 'opened' || op.op === 'closed') {
      const one = [...this.#open].find(({ forward }) => forward === op.forward);
      if (one === undefined) return;
      if (op.op === 'closed') return one.close(new SynapseError(op.code, op.message, op.hint === undefined ? {} : { hint: op.hint }));
      if (one.line !== undefined) return;
      const { token } = op;
      const set = new ConnectionSet(token, { say: (said) => this.#say(said), ready: this.#options.onReady });
      one.line = { token, set };
      // From now on the same one, whatever else the job opens.
      [one.job, one.wanted] = [op.job, op.port];
      one.opened(op);
    } else if ('token' in op && op.op !== 'connect') {
      for (const { line } of this.#open) if (line?.token === op.token) line.set.take(op);
    }
  }

  /** Breaks the connections: what was on the way to or from the machine may be lost. The ports stay. */
  breakLine(): void {
    for (const one of this.#open) {
      one.line?.set.end();
      one.line = undefined;
    }
  }

  /** Takes the state of the machine. One that connected anew knows no ports. */
  meet({ online, epoch }: Peer): void {
    if (!online || epoch !== this.#epoch) this.breakLine();
    this.#epoch = epoch;
    if (online) for (const one of this.#open) if (one.line === undefined) this.#ask(one);
  }

  /** Says every five seconds that this brain is there. */
  tick(): void {
    if (this.#open.size === 0 || !this.#options.isOnline()) return;
    this.#say({ op: 'alive' });
    for (const one of this.#open) {
      one.unanswered = one.line === undefined ? one.unanswered + 1 : 0;
      if (one.unanswered > MAX_UNANSWERED) one.close(SILENT);
    }
  }

  /** The relay does not know forwarded ports. */
  unsupported(): void {
    this.fail(OLD_RELAY);
  }

  /** Ends all, because the connection ended for good. */
  fail(reason: SynapseError | undefined): void {
    for (const one of this.#open) {
      if (reason === undefined) this.#say({ op: 'close', forward: one.forward });
      one.close(reason);
    }
  }

  /** Returns what is to be sent next; undefined if nothing can be sent. */
  next(): Frame | undefined {
    for (const one of this.#open) {
      const op = one.line?.set.next();
      if (op === undefined) continue;
      this.#open.delete(one);
      this.#open.add(one);
      return { type: 'forward', brain: this.#options.brain, op };
    }
    return undefined;
  }
}

async function listen(server: Server, wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // It stays: a server without a listener for its errors would end the process.
  server.on('error', (cause) =>
    reject(
      new SynapseError('unavailable', `Port ${wanted} of this machine cannot be opened.`, {
        hint: 'Choose another one, or none for a free one.',
        cause,
      }),
    ),
  );
  server.listen(wanted, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new SynapseError('internal', 'The server has no port.');
  return address.port;
}
