import { SynapseError } from '@synapse/protocol';
import { CLOSE_CODES } from '@synapse/protocol/remote';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { textSender } from '../send-together.ts';
import { isSessionName } from '../session-name.ts';
import { answerOperator } from './answer-operator.ts';
import { limitPairing } from './limit-pairing.ts';
import { localBackend } from './local-backend.ts';
import { metricsText, noTraffic, type RelayTraffic } from './relay-figures.ts';
import type { RelayConnection, RelaySocket } from './relay-host.ts';
import type { BackendOptions, RelayBackend, SessionTarget } from './relay-backend.ts';

/** Maximum message size in bytes, far above the longest frame. Sizes in between get the core's close code; the parser rejects larger ones. */
const MAX_MESSAGE = 1_048_576;
/** Maximum number of buffered bytes for one connection. Credits allow less. */
const MAX_BUFFERED = 2_097_152;
const PATH = /^\/v1\/(s|pair)\/([^/?]+)$/u;
const ENROLL = '/v1/enroll';
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** Options of {@link serveRelay}. */
export interface RelayOptions extends BackendOptions {
  /** The port; 0 for any free one. */
  readonly port: number;
  /** Accepts the connections. Default: this process alone. Disposed of with the relay. */
  readonly backend?: RelayBackend;
  /** The file for its records, without `backend`. Default: in memory only. */
  readonly file?: string;
  /** Access for paired devices. Without it, all programs of this machine may use every session. */
  readonly paired?: {
    /** The folder for its machines and invitation, without `backend`. */
    readonly folder?: string;
    /** The address to listen on. Default: 127.0.0.1, behind a proxy or a tunnel. */
    readonly host?: string;
    /** Host names of the relay, in addition to those of this machine. */
    readonly names?: readonly string[];
    /** Origins of web pages that may connect. Default: none. */
    readonly origins?: readonly string[];
  };
}

/** A running relay. */
export interface ServedRelay extends AsyncDisposable {
  readonly url: string;
  /** Settles when it is closed; rejects if its records cannot be written. */
  readonly stopped: Promise<void>;
}

/** The destination of a request. */
type Target = SessionTarget | { readonly to: 'enroll' };

function targetOf(url: string): Target | undefined {
  if (url === ENROLL) return { to: 'enroll' };
  const [, to, session = ''] = PATH.exec(url) ?? [];
  return (to === 's' || to === 'pair') && isSessionName(session) ? { to, session } : undefined;
}

/** The name in a request, without the port. */
const nameIn = ({ headers: { host = '' } }: IncomingMessage): string => host.toLowerCase().replace(/:\d+$/u, '');

/** Returns the HTTP status of a rejected request; undefined if it is accepted. */
function refusal(request: IncomingMessage, names: ReadonlySet<string>): string | undefined {
  // Any website can make its own name resolve to this machine. It must not get in.
  if (!names.has(nameIn(request))) return '421 Misdirected Request';
  return targetOf(request.url ?? '') === undefined ? '404 Not Found' : undefined;
}

/** Any website can open a WebSocket to this machine. */
const isForeign = ({ headers: { origin } }: IncomingMessage, origins: readonly string[]): boolean =>
  origin !== undefined && !origins.includes(origin);

/** Closes the connection of a page, and reads nothing. Browsers tell a page no HTTP status, so it would try again without end. */
function turnAway(socket: RelaySocket): RelayConnection {
  socket.close(CLOSE_CODES.origin.code, CLOSE_CODES.origin.text);
  return { text: () => {}, closed: () => {} };
}

/** Connects a WebSocket with the relay. */
function attach(socket: WebSocket, stream: Duplex, traffic: RelayTraffic, connect: (socket: RelaySocket) => RelayConnection): void {
  const send = textSender(socket, MAX_BUFFERED);
  traffic.connections += 1;
  const connection = connect({
    send: (text) => {
      traffic.texts.out += 1;
      traffic.characters.out += text.length;
      send(stream, text);
    },
    close: (code, reason) => {
      traffic.closed.set(code, (traffic.closed.get(code) ?? 0) + 1);
      socket.close(code, reason.slice(0, 100));
      setTimeout(() => socket.terminate(), 1_000).unref();
    },
  });
  // Errors below the protocol end the connection.
  socket.on('error', () => socket.terminate());
  socket.on('message', (data: Buffer, isBinary) => {
    const text = isBinary ? '' : data.toString('utf8');
    traffic.texts.in += 1;
    traffic.characters.in += text.length;
    connection.text(text);
  });
  socket.on('close', () => connection.closed());
}

/**
 * Serves a relay. Without `paired` it is for the programs of this machine only and listens on the loopback interface.
 *
 * @throws SynapseError `unavailable` if the port or the records cannot be used, `invalid_arguments` for `paired` with an open backend
 */
export async function serveRelay(options: RelayOptions): Promise<ServedRelay> {
  const { paired, file, pace, beforeEffect, onStatus } = options;
  const backend = options.backend ?? localBackend({ file, folder: paired?.folder, pace, beforeEffect, onStatus });
  if (paired !== undefined && !backend.demandsPairing) {
    await backend[Symbol.asyncDispose]();
    throw new SynapseError('invalid_arguments', 'The relay would let everybody in.', { hint: 'Give it a folder for its machines.' });
  }
  const stopped = Promise.withResolvers<void>();
  stopped.promise.catch(() => {});
  backend.failed.catch(stopped.reject);
  const connect =
    (target: Target, audience: string) =>
    (socket: RelaySocket): RelayConnection =>
      target.to === 'enroll' ? backend.enroll(socket) : backend.connect(target, socket, audience);
  const names = new Set(
    [...LOOPBACK, ...(paired?.names ?? []), ...(paired?.host === undefined ? [] : [paired.host])].map((name) => name.toLowerCase()),
  );
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  const traffic = noTraffic();
  const answers = {
    isHealthy: () => backend.isHealthy(),
    metrics: () => metricsText(backend.figures(), traffic, { sockets: sockets.clients.size, memory: process.memoryUsage.rss() }),
  };
  const server = createServer((request, response) => answerOperator(request, response, LOOPBACK.includes(nameIn(request)), answers));
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const refused = refusal(request, names);
    const target = targetOf(request.url ?? '');
    if (refused !== undefined || target === undefined) {
      stream.end(`HTTP/1.1 ${refused ?? '404 Not Found'}\r\nConnection: close\r\n\r\n`);
      return;
    }
    const audience = `${request.headers.host ?? ''} ${'session' in target ? target.session : ''}`;
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (isForeign(request, paired?.origins ?? [])) return attach(socket, stream, traffic, turnAway);
      const open = connect(target, audience);
      attach(socket, stream, traffic, target.to === 's' ? open : (one) => limitPairing(open(one), () => socket.terminate(), pace));
    });
  });
  const address = paired?.host ?? '127.0.0.1';
  server.listen(options.port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw new SynapseError('unavailable', `The relay cannot listen on ${address}, port ${options.port}.`, {
      hint: 'Stop what uses it, or give another --port.',
      cause: error,
    });
  }
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : options.port;
  return {
    url: `ws://${address}:${port}`,
    stopped: stopped.promise,
    [Symbol.asyncDispose]: async () => {
      await backend[Symbol.asyncDispose]();
      stopped.resolve();
      for (const socket of sockets.clients) if (socket.readyState !== WebSocket.CLOSED) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
