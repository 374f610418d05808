import type { RelayEffect } from '@synapse/protocol/remote';
import { SynapseError } from '@synapse/protocol';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { isSessionName } from '../session-url.ts';
import { RelayHost } from './relay-host.ts';
import { FileStore, memoryStore } from './relay-store.ts';

/** Far above the longest frame: what is between the two gets the core's close code, and what is above is cut off by the parser. */
const MAX_MESSAGE = 1_048_576;
const PATH = /^\/v1\/s\/([^/?]+)$/u;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** How to serve a relay on this machine. */
export interface RelayOptions {
  /** 0 is any that is free. */
  readonly port: number;
  /** The file of its records. Default: none, in memory. */
  readonly file?: string;
  /** Called before each effect; for tests that end the process there. */
  readonly beforeEffect?: (effect: RelayEffect) => void;
}

/** A relay that listens. */
export interface ServedRelay extends AsyncDisposable {
  readonly url: string;
  /** Settles when it was closed; rejects where its records cannot be written. */
  readonly stopped: Promise<void>;
}

/** Why a request is no connection to a session; undefined where it is one. */
function refusal(request: IncomingMessage): string | undefined {
  const { host = '', origin } = request.headers;
  // A page of any site can open a WebSocket to this machine, and make its own name point here: it must not get in.
  if (origin !== undefined) return '403 Forbidden';
  if (!LOOPBACK.has(host.replace(/:\d+$/u, ''))) return '421 Misdirected Request';
  return isSessionName(PATH.exec(request.url ?? '')?.[1] ?? '') ? undefined : '404 Not Found';
}

/**
 * Serves a relay for the programs of this machine, without pairing: it listens on the loopback interface alone.
 *
 * @throws SynapseError `unavailable` where the port or the records cannot be used
 */
export async function serveRelay(options: RelayOptions): Promise<ServedRelay> {
  const stopped = Promise.withResolvers<void>();
  stopped.promise.catch(() => {});
  const store = options.file === undefined ? memoryStore() : new FileStore(options.file);
  const host = new RelayHost(store, {
    onFailure: (cause) =>
      stopped.reject(
        new SynapseError('unavailable', 'The records of the relay cannot be written.', {
          hint: 'See that its disk is not full, then start it again.',
          cause,
        }),
      ),
    ...(options.beforeEffect === undefined ? {} : { beforeEffect: options.beforeEffect }),
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  const server = createServer((_request, response) => {
    response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' }).end('This is a Synapse relay. It takes WebSockets.\n');
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const refused = refusal(request);
    if (refused !== undefined) {
      stream.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = host.connect(PATH.exec(request.url ?? '')?.[1] ?? '', {
        send: (text) => socket.send(text),
        close: (code, reason) => {
          socket.close(code, reason.slice(0, 100));
          setTimeout(() => socket.terminate(), 1_000).unref();
        },
      });
      // What is malformed below the protocol ends the connection by itself.
      socket.on('error', () => socket.terminate());
      socket.on('message', (data: Buffer, isBinary) => connection.text(isBinary ? '' : data.toString('utf8')));
      socket.on('close', () => connection.closed());
    });
  });
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    host[Symbol.dispose]();
    throw new SynapseError('unavailable', `The relay cannot listen on port ${options.port}.`, {
      hint: 'Stop what uses it, or give another --port.',
      cause: error,
    });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `ws://127.0.0.1:${port}`,
    stopped: stopped.promise,
    [Symbol.asyncDispose]: async () => {
      host[Symbol.dispose]();
      stopped.resolve();
      for (const socket of sockets.clients) if (socket.readyState !== WebSocket.CLOSED) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
