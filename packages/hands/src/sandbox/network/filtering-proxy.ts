import { lookup } from 'node:dns/promises';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAllowedHost, domainRule, parseAuthority, parseTarget, type HostAddress } from './host-rules.ts';
import { isPrivateAddress } from '../../web/address-reach.ts';

/** Connections at a time; more than any package manager opens. */
const MAX_CONNECTIONS = 256;
/** A connection on which nothing moves ends after this long, in milliseconds. */
const IDLE_MS = 300_000;
/** Headers between two neighbours, and what was only meant for a proxy. */
const HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
]);

/** How to set up {@link FilteringProxy}. */
export interface FilteringProxyOptions {
  /** Names of hosts; `*.example.com` stands for all below it. */
  readonly domains: readonly string[];
  /** All addresses of a name. Default: those of the system. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Whether an address must not be reached. Default: all that are not public. */
  readonly isPrivate?: (address: string) => boolean;
  /** Opens a connection. Default: TCP. */
  readonly dial?: (address: string, port: number) => Socket;
  /** Hears of what was refused, as the client wrote it. */
  readonly onRefused?: (target: string) => void;
}

const resolveBySystem = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * An HTTP proxy that lets through what the policy names: by name, to public addresses only, ports 80 and 443. The
 * address that was judged is the one that is connected to, so a name cannot be resolved anew in between. What is
 * sent to an allowed host is not looked at.
 */
export class FilteringProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #rules: readonly string[];
  readonly #options: Required<Omit<FilteringProxyOptions, 'domains'>>;
  readonly #sockets = new Set<Duplex>();

  private constructor({ domains, resolve = resolveBySystem, isPrivate = isPrivateAddress, dial, onRefused = () => {} }: FilteringProxyOptions) {
    this.#rules = domains.map(domainRule);
    this.#options = { resolve, isPrivate, dial: dial ?? ((address, port) => connect({ host: address, port })), onRefused };
    // Whatever goes wrong with a request ends that request: nobody else waits for it.
    this.#server = createServer((request, response) => void this.#forward(request, response).catch(() => response.destroy()));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on(
      'connect',
      (request: IncomingMessage, client: Duplex, head: Buffer) => void this.#tunnel(request, client, head).catch(() => client.destroy()),
    );
  }

  /** Listens on a Unix socket. */
  static async listen(path: string, options: FilteringProxyOptions): Promise<FilteringProxy> {
    const proxy = new FilteringProxy(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    proxy.#server.once('error', reject).listen(path, resolve);
    await promise;
    return proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #track<S extends Socket>(socket: S): S {
    this.#sockets.add(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    // A connection that breaks is simply over; the other side learns it by its end.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** The address to connect to; undefined where that is refused. */
  async #admit(target: string, asked: HostAddress | undefined): Promise<string | undefined> {
    if (asked !== undefined && isAllowedHost(asked.host, this.#rules)) {
      try {
        const addresses = await this.#options.resolve(asked.host);
        // One private address among public ones is how rebinding begins.
        if (!addresses.some(this.#options.isPrivate)) return addresses[0];
      } catch {
        // Not resolved: the answer is the same as for a host that is not allowed, and tells nothing.
      }
    }
    this.#options.onRefused(target);
    return undefined;
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = request.url ?? '';
    const asked = parseAuthority(target);
    const address = await this.#admit(target, asked);
    if (address === undefined || asked === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThe network policy does not allow this host.\n');
      return;
    }
    if (client.destroyed) return;
    const server = this.#track(this.#options.dial(address, asked.port));
    let connected = false;
    server.once('connect', () => {
      connected = true;
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    });
    server.once('close', () => {
      if (!connected && !client.destroyed) client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
      else client.destroy();
    });
    client.once('close', () => server.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? '';
    const asked = parseTarget(target);
    const address = await this.#admit(target, asked);
    if (address === undefined || asked === undefined) {
      response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end('The network policy does not allow this host.\n');
      return;
    }
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name)));
    const host = asked.port === 80 ? asked.host : `${asked.host}:${asked.port}`;
    const onward = httpRequest({
      method: request.method ?? 'GET',
      path: asked.path,
      headers: { ...headers, host },
      host: address,
      // Without an agent: one would make the connection itself, and to wherever it thinks right.
      createConnection: () => this.#track(this.#options.dial(address, asked.port)),
    });
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      // A server may say any three digits; Node throws at what is no status, and the end of a process would be its answer.
      if (status < 200) {
        onward.destroy(new Error('no status of an answer'));
        return;
      }
      answer.on('error', () => response.destroy());
      response.writeHead(status, Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name))));
      answer.pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { connection: 'close' }).end();
    });
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }
}
