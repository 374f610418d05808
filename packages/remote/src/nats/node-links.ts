import { CLOSE_CODES } from '@synapse/protocol/remote';
import type { NatsConnection } from '@nats-io/transport-node';
import * as z from 'zod';
import type { RelayConnection, RelaySocket } from '../relay/relay-host.ts';
import type { SessionTarget } from '../relay/relay-backend.ts';
import type { NatsNames } from './nats-names.ts';

/** Milliseconds between pings of nodes that have connections for each other. */
const PULSE_MS = 1_000;
/** Milliseconds between two undelivered messages after which a node is considered dead or cut off. Reconnecting to another server takes less. */
const CONFIRM_MS = 300;
/** Status code of a NATS server for a message without receivers. */
const NO_RESPONDERS = 503;

const Opening = z.object({ to: z.enum(['s', 'pair']), session: z.string(), audience: z.string() });
const Closing = z.object({ code: z.int(), reason: z.string() });

/** A connection of a party at this node whose session another node runs. */
interface Edge {
  readonly socket: RelaySocket;
  /** Called if the node does not run the session. */
  readonly refused: () => void;
}

interface Peer {
  /** Messages are counted to detect lost ones. */
  said: number;
  heard: number;
  heardAt: number;
  unheardAt: number | undefined;
  readonly edges: Map<string, Edge>;
  readonly served: Map<string, RelayConnection>;
}

/** Options of {@link NodeLinks}. */
export interface LinkOptions {
  readonly connection: Pick<NatsConnection, 'publish' | 'subscribe' | 'isClosed'>;
  readonly names: NatsNames;
  readonly node: string;
  /** Milliseconds of silence after which a node is considered dead. */
  readonly deadAfterMs: number;
  /** Accepts a connection of a party at another node; undefined if its session does not run here. */
  readonly accept: (target: SessionTarget, socket: RelaySocket, audience: string) => RelayConnection | undefined;
  readonly onHeard: (node: string) => void;
  readonly onLost: (node: string) => void;
}

/**
 * Connections of parties at one node to sessions that run at another node. They use core NATS, which may lose messages. After a loss, all
 * connections between the two nodes are closed, and their parties resume. Delivery need not be reliable, because everything important is in
 * the log before it is sent, and both ends keep it until the other one has it.
 */
export class NodeLinks implements Disposable {
  readonly #options: LinkOptions;
  readonly #peers = new Map<string, Peer>();
  readonly #timer: NodeJS.Timeout;
  #edges = 0;

  constructor(options: LinkOptions) {
    const { connection, names, node } = options;
    this.#options = options;
    connection.subscribe(`${names.link(node)}.*.*.*.*`, {
      callback: (_, { subject, data }) => {
        const [from = '', kind = '', conn = '', count = ''] = subject.split('.').slice(-4);
        this.#hear(from, kind, conn, Number(count), data);
      },
    });
    connection.subscribe(names.unheard(node, '*'), {
      callback: (_, { subject, headers }) => {
        if (headers?.code === NO_RESPONDERS) this.#onUnheard(subject.split('.').at(-1) ?? '');
      },
    });
    this.#timer = setInterval(() => this.#pulse(), PULSE_MS);
  }

  #peer(node: string): Peer {
    const known = this.#peers.get(node);
    if (known !== undefined) return known;
    const peer: Peer = { said: 0, heard: 0, heardAt: performance.now(), unheardAt: undefined, edges: new Map(), served: new Map() };
    this.#peers.set(node, peer);
    return peer;
  }

  #say(node: string, kind: string, conn = '0', data = ''): void {
    const { connection, names, node: self } = this.#options;
    if (connection.isClosed()) return;
    const peer = this.#peer(node);
    peer.said += 1;
    // Without a subscriber, the server reports it to the reply subject.
    connection.publish(`${names.link(node)}.${self}.${kind}.${conn}.${peer.said}`, data, { reply: names.unheard(self, node) });
  }

  /** Opens a connection at the node that runs its session. */
  open(node: string, target: SessionTarget, audience: string, edge: Edge): RelayConnection {
    this.#edges += 1;
    const conn = String(this.#edges);
    this.#peer(node).edges.set(conn, edge);
    this.#say(node, 'open', conn, JSON.stringify({ ...target, audience }));
    return {
      text: (text) => this.#say(node, 'text', conn, text),
      closed: () => {
        if (this.#peers.get(node)?.edges.delete(conn) === true) this.#say(node, 'closed', conn);
      },
    };
  }

  #hear(from: string, kind: string, conn: string, count: number, data: Uint8Array): void {
    const peer = this.#peer(from);
    const isNext = count === peer.heard + 1;
    peer.heard = count;
    peer.heardAt = performance.now();
    peer.unheardAt = undefined;
    this.#options.onHeard(from);
    if (!isNext) this.#reset(from, peer);
    try {
      this.#act(from, peer, kind, conn, data);
    } catch {
      // An unreadable message counts as lost.
      this.#reset(from, peer);
    }
  }

  #reset(from: string, peer: Peer): void {
    this.#end(peer, 'gap');
    this.#say(from, 'reset');
  }

  #act(from: string, peer: Peer, kind: string, conn: string, data: Uint8Array): void {
    const text = (): string => Buffer.from(data).toString('utf8');
    switch (kind) {
      case 'open':
        return this.#accept(from, peer, conn, text());
      case 'text':
        return peer.served.get(conn)?.text(text());
      case 'closed': {
        const served = peer.served.get(conn);
        peer.served.delete(conn);
        return served?.closed();
      }
      case 'send':
        return peer.edges.get(conn)?.socket.send(text());
      case 'close': {
        const { code, reason } = Closing.parse(JSON.parse(text()));
        return peer.edges.get(conn)?.socket.close(code, reason);
      }
      case 'refused': {
        const edge = peer.edges.get(conn);
        peer.edges.delete(conn);
        return edge?.refused();
      }
      case 'reset':
        return this.#end(peer, 'gap');
      case 'ping':
        return this.#say(from, 'pong');
      default:
        // `pong`, and messages of newer nodes: receiving them is sufficient.
        return undefined;
    }
  }

  #accept(from: string, peer: Peer, conn: string, text: string): void {
    const { audience, ...target } = Opening.parse(JSON.parse(text));
    const socket: RelaySocket = {
      send: (sent) => this.#say(from, 'send', conn, sent),
      close: (code, reason) => this.#say(from, 'close', conn, JSON.stringify({ code, reason })),
    };
    const connection = this.#options.accept(target, socket, audience);
    if (connection === undefined) this.#say(from, 'refused', conn);
    else peer.served.set(conn, connection);
  }

  #onUnheard(node: string): void {
    const peer = this.#peers.get(node);
    if (peer === undefined) return;
    if (peer.unheardAt === undefined) {
      peer.unheardAt = performance.now();
      setTimeout(() => peer.unheardAt !== undefined && this.#say(node, 'ping'), CONFIRM_MS).unref();
    } else if (performance.now() - peer.unheardAt >= CONFIRM_MS - 1) this.#lose(node, peer);
  }

  #pulse(): void {
    for (const [node, peer] of this.#peers) {
      if (peer.edges.size + peer.served.size === 0) continue;
      if (performance.now() - peer.heardAt > this.#options.deadAfterMs) this.#lose(node, peer);
      else this.#say(node, 'ping');
    }
  }

  #lose(node: string, peer: Peer): void {
    this.#peers.delete(node);
    this.#options.onLost(node);
    this.#end(peer, 'restarting');
  }

  /** Closes all connections between two nodes. */
  #end(peer: Peer, why: 'gap' | 'restarting'): void {
    const [edges, served] = [[...peer.edges.values()], [...peer.served.values()]];
    peer.edges.clear();
    peer.served.clear();
    for (const { socket } of edges) socket.close(CLOSE_CODES[why].code, CLOSE_CODES[why].text);
    for (const connection of served) connection.closed();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const [node, peer] of this.#peers) {
      this.#say(node, 'reset');
      this.#end(peer, 'restarting');
    }
  }
}
