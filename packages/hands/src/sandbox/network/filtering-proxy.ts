import { lookup } from 'node:dns/promises';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { domainRule, isAllowedHost, mayReach, parseAuthority, parseTarget, type HostAddress } from './host-rules.ts';
import { ALL_HEADERS, keptHeaders } from './kept-headers.ts';
import { answerText, endAfterBody, passBody } from './pass-body.ts';
import { addressReach, type AddressReach } from '../../net/address-reach.ts';
import { SentBudget } from './sent-budget.ts';

/** Maximum number of simultaneous connections; more than any package manager opens. */
const MAX_CONNECTIONS = 256;
/** Milliseconds until an idle connection is closed. */
const IDLE_MS = 300_000;
/** What ends the TLS of hosts gets from the proxy. */
export interface EndingParts {
  /** Judges a host: the address to connect to; undefined if it is refused. */
  readonly admit: (asked: HostAddress) => Promise<string | undefined>;
  /** Opens a connection to an address that was judged. */
  readonly dial: (address: string, port: number) => Socket;
  /** Counts bytes that are to be sent to a host. Returns why they may not be; undefined if they may. */
  readonly spend: (asked: HostAddress, bytes: number) => string | undefined;
}

/** Ends the TLS of some hosts, and answers their requests. */
export interface Ending extends Disposable {
  /** Whether the TLS of a host is ended here. */
  covers(asked: HostAddress): boolean;
  /** Takes a connection that a client believes to be one to a host. */
  take(client: Socket, head: Buffer, asked: HostAddress, address: string): void;
  /** Answers a request that a client sent to the proxy as such. */
  forward(request: IncomingMessage, response: ServerResponse, asked: HostAddress & { readonly path: string }, address: string): Promise<void>;
}

/** Why a host is refused: no rule opens it, none of its addresses may be reached, the rule that denies it, or that too much was sent. */
export type HostRefusal = 'closed' | 'no address' | { readonly deniedBy: string } | { readonly spent: string };

/** Options of {@link FilteringProxy}. */
export interface FilteringProxyOptions {
  /** Host names; `*.example.com` matches all subdomains. A port other than 80 and 443 is named: `example.com:8081`. */
  readonly domains: readonly string[];
  /** Those that a person named. Without a `*`, they may be in a private network. Default: none. */
  readonly named?: readonly string[];
  /** Returns all addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Where an address leads. Default: by the registries of addresses and the networks of this machine. */
  readonly reach?: (address: string) => AddressReach;
  /** Opens a connection. Default: TCP. */
  readonly dial?: (address: string, port: number) => Socket;
  /** The rule that denies a host or an address, although another one opens it. Default: none does. */
  readonly deniedBy?: (host: string) => string | undefined;
  /** Whether a host that would be refused is allowed after all. Default: none is. */
  readonly allows?: (asked: HostAddress, why: HostRefusal) => Promise<boolean>;
  /** How many bytes may be sent to all hosts together. Default: 64 MiB. */
  readonly maxSentBytes?: number;
  /** Called with each refused target, as the client wrote it. */
  readonly onRefused?: (target: string, why: HostRefusal) => void;
  /** Called with each target that is connected to. Requests of hosts whose TLS is ended are reported where it ends. */
  readonly onConnected?: (asked: HostAddress) => void;
  /** Ends the TLS of some hosts. Default: of none. */
  readonly ended?: (parts: EndingParts) => Ending;
}

const resolveBySystem = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/** One connection for one request, which does not say so: a server that answers early would end it, and not read the rest. */
class OneConnection extends Agent {
  readonly #dial: () => Socket;

  constructor(dial: () => Socket) {
    super({ keepAlive: true });
    this.#dial = dial;
  }

  override createConnection(): Socket {
    return this.#dial();
  }

  /** It ends once the request is sent and answered. */
  override keepSocketAlive(): void {}
}

/** How many bytes the head of a request has, about. */
export const headBytes = ({ url = '', rawHeaders }: IncomingMessage): number => rawHeaders.reduce((sum, text) => sum + text.length + 2, url.length);

/**
 * An HTTP proxy that only connects to hosts that the policy names: to public addresses, unless a person named the host, and to ports 80
 * and 443, unless the rule names one. It connects to the same address that it checked, so a name cannot resolve differently in between.
 * It does not inspect what is sent to an allowed host, unless the TLS of that host is ended: see `edge`.
 */
export class FilteringProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #rules: readonly string[];
  readonly #named: readonly string[];
  readonly #options: Required<Omit<FilteringProxyOptions, 'domains' | 'named' | 'ended' | 'maxSentBytes'>>;
  readonly #ended: Ending | undefined;
  readonly #sockets = new Set<Duplex>();
  readonly #sent: SentBudget;

  private constructor(given: FilteringProxyOptions) {
    const { domains, named = [], resolve = resolveBySystem, reach = addressReach, dial } = given;
    const { deniedBy = () => undefined, allows = () => Promise.resolve(false), onRefused = () => {}, onConnected = () => {} } = given;
    this.#rules = domains.map(domainRule);
    this.#sent = new SentBudget(given.maxSentBytes);
    // A name below `*.example.com` is not one that the person knows.
    this.#named = named.map(domainRule).filter((rule) => !rule.startsWith('*'));
    this.#options = { resolve, reach, dial: dial ?? ((address, port) => connect({ host: address, port })), deniedBy, allows, onRefused, onConnected };
    this.#ended = given.ended?.({
      admit: async (asked) => await this.#admit(`${asked.host}:${asked.port}`, asked),
      dial: (address, port) => this.#track(this.#options.dial(address, port)),
      spend: (asked, bytes) => this.#spend(asked, bytes),
    });
    // An error only ends its request.
    this.#server = createServer((request, response) => void this.#forward(request, response).catch(() => response.destroy()));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.maxHeadersCount = ALL_HEADERS;
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
    this.#ended?.[Symbol.dispose]();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #track<S extends Socket>(socket: S): S {
    this.#sockets.add(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    // A broken connection is simply closed, which ends the other side too.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** The address to connect to; undefined if the host is refused. */
  async #admit(target: string, asked: HostAddress | undefined): Promise<string | undefined> {
    const { resolve, reach, deniedBy, allows, onRefused } = this.#options;
    const refuse = (why: HostRefusal): undefined => {
      onRefused(target, why);
    };
    // Also where no rule opens it: to open it would be no way out.
    const rule = asked === undefined ? undefined : deniedBy(asked.host);
    const spent = this.#sent.refusal;
    if (asked !== undefined && spent !== undefined) return refuse({ spent });
    if (asked !== undefined && rule !== undefined && !(await allows(asked, { deniedBy: rule }))) return refuse({ deniedBy: rule });
    if (asked === undefined || !(isAllowedHost(asked, this.#rules) || (await allows(asked, 'closed')))) return refuse('closed');
    const { host } = asked;
    const isNamed = isAllowedHost(asked, this.#named);
    try {
      const addresses = isIP(host) === 0 ? await resolve(host) : [host];
      // Another name leads to the same machine.
      const denying = addresses.map(deniedBy).find((one) => one !== undefined);
      if (denying !== undefined) return refuse({ deniedBy: denying });
      // A closed address among open ones is a sign of DNS rebinding.
      if (addresses.every((address) => mayReach(host, address, isNamed, reach))) return addresses[0];
    } catch {
      // Not resolved: the response is the same as for a denied host, and reveals nothing.
    }
    return refuse('no address');
  }

  /** Counts what is to be sent. Reports the first time that it is too much. */
  #spend({ host, port }: HostAddress, bytes: number): string | undefined {
    const before = this.#sent.refusal;
    this.#sent.take(bytes);
    const spent = this.#sent.refusal;
    if (spent !== undefined && before === undefined) this.#options.onRefused(`${host}:${port}`, { spent });
    return spent;
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
    if (this.#ended?.covers(asked) === true) {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      this.#ended.take(request.socket, head, asked, address);
      return;
    }
    this.#options.onConnected(asked);
    const server = this.#track(this.#options.dial(address, asked.port));
    let connected = false;
    server.once('connect', () => {
      connected = true;
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      // Before the pipe writes them.
      client.on('data', (chunk: Buffer) => {
        if (this.#spend(asked, chunk.length) !== undefined) server.destroy();
      });
      if (this.#spend(asked, head.length) !== undefined) server.destroy();
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
      answerText(request, response, 403, 'The network policy does not allow this host.');
      return;
    }
    if (this.#ended?.covers(asked) === true) {
      await this.#ended.forward(request, response, asked, address);
      return;
    }
    this.#options.onConnected(asked);
    const refuseSpent = (): void => {
      if (response.headersSent) response.destroy();
      else answerText(request, response, 413, `Refused: ${this.#sent.refusal}.`);
    };
    if (this.#spend(asked, headBytes(request)) !== undefined) {
      refuseSpent();
      return;
    }
    const headers = Object.fromEntries(keptHeaders(request));
    const host = asked.port === 80 ? asked.host : `${asked.host}:${asked.port}`;
    const onward = httpRequest({
      method: request.method ?? 'GET',
      path: asked.path,
      // The length of a body of unknown length is not known onward either.
      headers: { ...headers, host, ...(request.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }) },
      host: address,
      agent: new OneConnection(() => this.#track(this.#options.dial(address, asked.port))),
    });
    let given: IncomingMessage | undefined;
    const fail = (): void => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { connection: 'close' }).end();
    };
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      // A server may send any three digits. Node throws for an invalid status, so a server could end this process.
      if (status < 200) {
        onward.destroy(new Error('no status of an answer'));
        return;
      }
      given = answer;
      answer.on('error', () => response.destroy());
      endAfterBody(request, response);
      response.writeHead(status, Object.fromEntries(keptHeaders(answer)));
      answer.pipe(response);
    });
    // What follows a whole answer is none of it.
    onward.on('error', () => given?.complete === true || fail());
    onward.once('upgrade', (_answer, socket) => {
      socket.destroy();
      fail();
    });
    // An answer may end while its server still reads.
    response.once('close', () => response.writableFinished || onward.destroy());
    await passBody(request, onward, (bytes) => {
      if (this.#spend(asked, bytes) === undefined) return true;
      refuseSpent();
      return false;
    });
  }
}
