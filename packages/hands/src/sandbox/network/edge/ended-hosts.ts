import {
  createServer,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { putSecret } from '../../../secrets/put-secret.ts';
import type { AnsweredRequest, AskedRequest } from '../asked-request.ts';
import { headBytes, type Ending, type EndingParts } from '../filtering-proxy.ts';
import { ALL_HEADERS, keptHeaders } from '../kept-headers.ts';
import { parseAuthority, type HostAddress } from '../host-rules.ts';
import { answerText, endAfterBody, passBody } from '../pass-body.ts';
import type { CommandAuthority } from './authority.ts';
import { cleanHeaders, decodersOf, hasBody } from './clean-answer.ts';
import type { CommandEdge } from './command-edge.ts';
import { namesOtherRequest, otherRequestIn } from './other-request.ts';
import { Onward, type OnwardOptions } from './onward.ts';
import { sendBody } from './send-body.ts';
import { signAgain } from './sign-again.ts';
import { unreadBecause } from './unread-request.ts';

/** With them a server answers in parts, each of which may hold too little of a secret to be seen. */
const PARTS: ReadonlySet<string> = new Set('range if-range request-range x-ms-range x-amz-range x-goog-range x-oss-range accept-encoding'.split(' '));
/** What an answer says of its compressed body. */
const OF_COMPRESSED = ['content-encoding', 'content-length', 'content-md5', 'digest', 'content-digest', 'repr-digest'] as const;
/** The first byte of a TLS record with a handshake. */
const TLS_HANDSHAKE = 0x16;
/** Milliseconds for the first bytes of a connection, and for a handshake. */
const FIRST_MS = 30_000;

/** What the hosts of one command need. */
interface EndedOptions extends OnwardOptions, EndingParts {
  readonly edge: CommandEdge;
  readonly authority: CommandAuthority;
  readonly onRequest: (request: AnsweredRequest) => void;
}

/** Ends the TLS of some hosts for one command, judges each request, puts secrets into it, and takes them out of the answer. */
export class EndedHosts implements Ending {
  readonly #options: EndedOptions;
  readonly #onward: Onward;
  readonly #server: Server;
  readonly #connections = new WeakMap<Duplex, Pick<AskedRequest, 'scheme' | 'host' | 'port'>>();

  constructor(options: EndedOptions) {
    this.#options = options;
    this.#onward = new Onward(options);
    // Never listens. Node's parser refuses what two parsers could read differently, such as two lengths.
    this.#server = createServer({ insecureHTTPParser: false, requireHostHeader: true }, (request, response) => {
      const known = this.#connections.get(request.socket);
      if (known === undefined) response.destroy();
      else void this.#answer(request, response, { ...known, method: request.method ?? '', path: request.url ?? '' }).catch(() => response.destroy());
    });
    this.#server.maxHeadersCount = ALL_HEADERS;
    // A tunnel in a tunnel would lead past all rules.
    this.#server.on('connect', (_request, socket: Duplex) => void socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n'));
    this.#server.on('clientError', (error, socket: Duplex) => {
      const known = this.#connections.get(socket);
      if (known !== undefined) this.#tellUnread(known, 'HTTP', error);
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      else socket.destroy();
    });
  }

  covers(asked: HostAddress): boolean {
    return this.#options.edge.isEnded(asked);
  }

  take(client: Socket, head: Buffer, asked: HostAddress, address: string): void {
    this.#onward.judge(asked, address);
    const begin = (first: Buffer): void => {
      client.pause();
      client.setTimeout(0);
      client.unshift(first);
      if (first[0] === TLS_HANDSHAKE) this.#endTls(client, asked);
      else this.#open(client, { ...asked, scheme: 'http' });
    };
    client.setTimeout(FIRST_MS, () => client.destroy());
    if (head.length > 0) begin(head);
    else client.once('data', begin);
  }

  async forward(request: IncomingMessage, response: ServerResponse, asked: HostAddress & { readonly path: string }, address: string): Promise<void> {
    this.#onward.judge(asked, address);
    await this.#answer(request, response, { ...asked, scheme: 'http', method: request.method ?? '' }, true);
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#onward[Symbol.dispose]();
  }

  #endTls(client: Socket, asked: HostAddress): void {
    const { authority } = this.#options;
    const secure = new TLSSocket(client, {
      isServer: true,
      secureContext: authority.contextFor(asked.host),
      // HTTP/2 is not offered: all of its clients also speak 1.1.
      ALPNProtocols: ['http/1.1'],
      SNICallback: (name, done) => {
        // The name that was judged is the one that is connected to.
        if (name.toLowerCase() === asked.host) done(null, authority.contextFor(asked.host));
        else done(new Error('Another host.'));
      },
    });
    const late = setTimeout(() => client.destroy(), FIRST_MS);
    secure.once('secure', () => {
      clearTimeout(late);
      this.#open(secure, { ...asked, scheme: 'https' });
    });
    secure.on('error', (error) => {
      clearTimeout(late);
      this.#tellUnread({ ...asked, scheme: 'https' }, 'TLS', error);
      client.destroy();
    });
    client.once('close', () => {
      clearTimeout(late);
      secure.destroy();
    });
  }

  /** Tells why what a program sent was read as no request. */
  #tellUnread(known: Pick<AskedRequest, 'scheme' | 'host' | 'port'>, method: 'TLS' | 'HTTP', error: Error): void {
    const failure = unreadBecause(error);
    if (failure !== undefined) this.#options.onRequest({ ...known, method, path: '', failure });
  }

  #open(connection: Socket, known: Pick<AskedRequest, 'scheme' | 'host' | 'port'>): void {
    this.#connections.set(connection, known);
    this.#server.emit('connection', connection);
    // It was paused to look at the first byte, and a server does not resume what was.
    connection.resume();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, asked: AskedRequest, isToProxy = false): Promise<void> {
    const { edge, onRequest, admit } = this.#options;
    const deny = (status: number, text: string): void => answerText(request, response, status, text);
    const wrong = isToProxy ? undefined : wrongHead(request, asked);
    if (wrong !== undefined) {
      onRequest({ ...asked, failure: wrong });
      deny(400, `Refused: ${wrong}.`);
      return;
    }
    const other = edge.hasRules(asked) ? otherRequestIn(request) : undefined;
    if (other !== undefined) {
      onRequest({ ...asked, failure: `${other}, and rules tell requests of this host apart` });
      deny(403, `The network policy does not allow ${other}.`);
      return;
    }
    const refusal = edge.refusal(asked);
    if (refusal !== undefined && !(await edge.isAllowedLive(asked, refusal))) {
      onRequest({ ...asked, refusal });
      deny(403, 'The network policy does not allow this request.');
      return;
    }
    if (/^websocket$/iu.test(request.headers.upgrade ?? '')) {
      onRequest({ ...asked, failure: 'WebSockets are not possible to a host with a secret or with rules about requests' });
      deny(501, 'WebSockets are not possible to this host.');
      return;
    }
    if (!this.#onward.isJudged(asked)) {
      const address = await admit(asked);
      if (address === undefined) {
        deny(403, 'The network policy does not allow this host.');
        return;
      }
      this.#onward.judge(asked, address);
    }
    try {
      await edge.renew(asked);
    } catch (error) {
      onRequest({ ...asked, failure: `the secret of this host cannot be read: ${error instanceof Error ? error.message : String(error)}` });
      deny(502, 'The secret of this host cannot be read.');
      return;
    }
    await this.#send(request, response, asked);
  }

  /** A request to the server itself. Its body is sent later. */
  #onwardTo({ scheme, host, port, method }: AskedRequest, head: { readonly path: string; readonly headers: OutgoingHttpHeaders }): ClientRequest {
    const send = scheme === 'https' ? httpsRequest : httpRequest;
    const agent = scheme === 'https' ? this.#onward.https : this.#onward.http;
    return send({ method, host, port, path: head.path, headers: head.headers, agent, setHost: false });
  }

  async #send(request: IncomingMessage, response: ServerResponse, asked: AskedRequest): Promise<void> {
    const { onRequest, spend } = this.#options;
    const refuse = (status: 413 | 502, failure: string): void => {
      onRequest({ ...asked, sent: spent.bytes, failure });
      if (response.headersSent) response.destroy();
      else answerText(request, response, status, failure);
    };
    const spent: { why: string | undefined; bytes: number } = { why: undefined, bytes: 0 };
    /** Counts bytes before they are sent. Returns whether they may be. */
    const mayTake = (bytes: number): boolean => {
      spent.why ??= spend(asked, bytes);
      if (spent.why === undefined) spent.bytes += bytes;
      return spent.why === undefined;
    };
    const tooMuch = (): string => `Refused: ${spent.why}.`;
    if (!mayTake(headBytes(request))) return refuse(413, tooMuch());
    const head = this.#headOf(request, asked);
    const signed = await signAgain(request, { method: asked.method, ...head }, this.#options.edge.secretsFor(asked), mayTake);
    if (spent.why !== undefined) return refuse(413, tooMuch());
    if (signed !== undefined && 'failure' in signed) return refuse(502, signed.failure);
    if (signed !== undefined) head.headers['authorization'] = signed.authorization;
    const onward = this.#onwardTo(asked, head);
    onward.maxHeadersCount = ALL_HEADERS;
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | Error>();
    onward.once('response', resolve).on('error', resolve);
    onward.once('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve(Object.assign(new Error('The server changed the protocol.'), { code: 'status 101' }));
    });
    // An answer may end while its server still reads.
    response.once('close', () => response.writableFinished || onward.destroy());
    const passed = signed?.body === undefined ? passBody(request, onward, mayTake) : void onward.end(signed.body);
    const answer = await promise;
    if (answer instanceof Error) return spent.why === undefined ? refuse(502, failureOf(answer)) : refuse(413, tooMuch());
    endAfterBody(request, response);
    const failure = await this.#return(answer, response, asked);
    await passed;
    onRequest({ ...asked, sent: spent.bytes, ...(failure === undefined ? {} : { failure }) });
  }

  /** The head of the onward request. */
  #headOf(request: IncomingMessage, asked: AskedRequest) {
    const { edge } = this.#options;
    const own = new Set((request.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
    // Without its length, a body would be read as a second request, which was not judged.
    own.delete('content-length');
    const isRuled = edge.hasRules(asked);
    const kept = keptHeaders(request, own).filter(([name]) => !isRuled || !namesOtherRequest(name));
    let head = { path: asked.path, headers: Object.fromEntries<string | readonly string[]>(kept) };
    for (const { place, used } of edge.secretsFor(asked)) {
      const { path, headers } = putSecret(head, place, used);
      head = { path, headers: { ...headers } };
    }
    const isSecret = edge.unseenFrom(asked) !== undefined;
    const headers: Record<string, string | string[]> = { host: hostHeader(asked) };
    for (const [name, value] of Object.entries(head.headers)) {
      if (!isSecret || !PARTS.has(name)) headers[name] = typeof value === 'string' ? value : [...value];
    }
    // The length of a body of unknown length is not known onward either.
    if (request.headers['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
    if (isSecret) headers['accept-encoding'] = 'identity';
    return { path: head.path, headers };
  }

  /** Returns an answer to the command. Gives why it was not. */
  async #return(answer: IncomingMessage, response: ServerResponse, asked: AskedRequest): Promise<string | undefined> {
    const status = answer.statusCode ?? 0;
    const what = this.#options.edge.unseenFrom(asked);
    const refuse = (text: string): string => {
      answer.destroy();
      response.writeHead(502, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
      return text;
    };
    // Node throws for such a status, and a server may send any three digits.
    if (status < 200 || status > 999) return refuse('the server answered with an invalid status');
    // Node undoes no compression of this kind, and the program would not know of it: this header is of one connection.
    const coding = (answer.headers['transfer-encoding'] ?? 'chunked').trim().toLowerCase();
    if (coding !== 'chunked' && coding !== 'identity') return refuse('the server answered in a compression that is not known here');
    const headers = Object.fromEntries(keptHeaders(answer));
    if (what === undefined) {
      response.writeHead(status, headers);
      return await sendBody([answer], response);
    }
    const decoders = hasBody(asked.method, status) ? decodersOf(answer.headers['content-encoding']) : [];
    if (decoders === undefined) return refuse('the server answered in a compression that is not known here');
    const clean = cleanHeaders(headers, what);
    if (decoders.length > 0) for (const name of OF_COMPRESSED) delete clean[name];
    response.writeHead(status, clean);
    return await sendBody([answer, ...decoders], response, what);
  }
}

/** What is wrong with the head of a request on a connection to a host; undefined if nothing is. */
function wrongHead({ rawHeaders, headers, method }: IncomingMessage, { scheme, host, port, path }: AskedRequest): string | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  const given = headers.host ?? '';
  const named = parseAuthority(/:\d+$/u.test(given) ? given : `${given}:${scheme === 'https' ? 443 : 80}`);
  if (hosts.length !== 1 || named?.host !== host || named.port !== port) return 'its Host header names another host than the connection';
  if (!path.startsWith('/') && !(method === 'OPTIONS' && path === '*')) return 'it names another address than a path';
  return undefined;
}

const hostHeader = ({ scheme, host, port }: AskedRequest): string => (port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`);

/** Why a server could not be asked, in words for a person. */
function failureOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|^ERR_TLS/u.test(code)) return `the certificate of the server is not valid (${code})`;
  if (code === 'HPE_HEADER_OVERFLOW') return 'the head of its answer is longer than 16 kB';
  return code === '' ? 'the server did not answer' : `the server did not answer (${code})`;
}
