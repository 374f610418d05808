import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { REAL_PACE, type Pace } from '../pace.ts';
import { sendTogether } from '../send-together.ts';

/** Milliseconds to wait for a connection. */
const HANDSHAKE_MS = 10_000;
const MAX_MESSAGE = 1_048_576;
/** Milliseconds between pings, and milliseconds of silence after which the other side is considered gone. */
const PULSE_MS = 25_000;
const DEAD_AFTER_MS = 60_000;

/** Receives the events of a client socket. */
export interface SocketListener {
  opened(): void;
  text(text: string): void;
  /** Called once, at the end. `problem` is a readable reason, if known. */
  closed(code: number, problem: string | undefined): void;
}

/** A client connection. */
export interface ClientSocket {
  send(text: string): void;
  /** Closes the connection. No further events are reported. */
  end(code: number, reason: string): void;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Start the relay, or check host and port.',
  ENOTFOUND: 'Host not found. Check the URL and the network.',
  EAI_AGAIN: 'The name of the host cannot be looked up. Check the network.',
  ECONNRESET: 'The connection was reset. If that repeats, check the URL: for a relay with TLS it starts with wss://.',
  ETIMEDOUT: 'The host does not answer. Check the network.',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired. If it has not, check the clock of this machine.',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not valid yet. Check the clock of this machine.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed. Trust it with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate cannot be verified. Trust its issuer with NODE_EXTRA_CA_CERTS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host. Check the URL.',
  EPROTO: 'TLS failed. For a relay without TLS the URL starts with ws://.',
};

/** Answers of servers in front of a relay, and of relays. */
const STATUSES: Readonly<Record<string, string>> = {
  403: 'The server refuses the connection (HTTP 403). Check the URL, and what the proxy before the relay allows.',
  404: 'There is no relay at this address (HTTP 404). Check the URL.',
  421: 'The relay does not go by this name (HTTP 421). Start it with --hostname and the name in the URL.',
  426: 'The proxy before the relay does not pass on WebSockets (HTTP 426). Check its settings.',
  429: 'The server gets too many requests (HTTP 429). Synapse tries again by itself; if that lasts, connect fewer clients, or see the limits of the server.',
  502: 'The proxy does not reach the relay (HTTP 502). See that the relay runs.',
  503: 'The server is not ready (HTTP 503). See that the relay runs.',
  504: 'The relay does not answer its proxy (HTTP 504). See that the relay runs.',
};

/** Describes why a connection failed and what to do. */
export function describeProblem(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = PROBLEMS[code];
  if (known !== undefined) return known;
  const status = /Unexpected server response: (\d+)/u.exec(error.message)?.[1];
  if (status !== undefined) return STATUSES[status] ?? `The server answered with HTTP ${status}, not a WebSocket. Check the URL.`;
  if (error.message === 'Opening handshake has timed out') return 'The host accepts the connection but does not answer. Check the URL.';
  // `HPE_…`: the parser of HTTP.
  if (code.startsWith('HPE_')) return 'What listens there does not speak HTTP. Check the URL; for a relay with TLS it starts with wss://.';
  return `The connection failed: ${error.message.slice(0, 100)}. Check the URL.`;
}

/**
 * Detects a connection whose other side is gone silently. It uses WebSocket pings, so it also works for brains that only
 * know calls and results, and for relays that never send a greeting.
 */
function watchPulse(socket: WebSocket, pace: Pace): NodeJS.Timeout {
  let heard = pace.now();
  const hear = (): void => {
    heard = pace.now();
  };
  for (const event of ['open', 'message', 'ping', 'pong']) socket.on(event, hear);
  return setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    // A clock that was set back must not hide that the other side is gone.
    heard = Math.min(heard, pace.now());
    if (pace.now() - heard > DEAD_AFTER_MS) socket.terminate();
    else socket.ping();
  }, pace.wait(PULSE_MS));
}

/** Opens a WebSocket. */
export function openClientSocket(url: string, listener: SocketListener, pace: Pace = REAL_PACE): ClientSocket {
  const socket = new WebSocket(url, { handshakeTimeout: pace.wait(HANDSHAKE_MS), maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  let problem: string | undefined;
  let over = false;
  let stream: Duplex | undefined;
  socket.on('upgrade', (response) => (stream = response.socket));
  const pulse = watchPulse(socket, pace);
  socket.on('open', () => !over && listener.opened());
  socket.on('message', (data: Buffer, isBinary) => {
    // The protocol has no binary messages. An empty text is rejected as malformed.
    if (!over) listener.text(isBinary ? '' : data.toString('utf8'));
  });
  socket.on('error', (error) => {
    problem ??= describeProblem(error);
  });
  socket.on('close', (code) => {
    clearInterval(pulse);
    if (over) return;
    over = true;
    listener.closed(code, problem);
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) sendTogether(stream, () => socket.send(text));
    },
    end: (code, reason) => {
      over = true;
      clearInterval(pulse);
      // Do not wait for the other side, which may be gone.
      if (socket.readyState === WebSocket.OPEN) socket.close(code, reason.slice(0, 100));
      setTimeout(() => socket.terminate(), 1_000).unref();
    },
  };
}
