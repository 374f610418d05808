import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { REAL_PACE, type Pace } from '../pace.ts';
import { describeProblem } from './describe-problem.ts';
import { textSender } from '../send-together.ts';

/** Milliseconds to wait for a connection. */
const HANDSHAKE_MS = 10_000;
const MAX_MESSAGE = 1_048_576;
/** Maximum number of buffered bytes. Only results for brains without the protocol can be so many: relays give credit. */
const MAX_BUFFERED = 67_108_864;
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
  const sendText = textSender(socket, MAX_BUFFERED);
  socket.on('upgrade', (response) => (stream = response.socket));
  const pulse = watchPulse(socket, pace);
  socket.on('open', () => !over && listener.opened());
  socket.on('message', (data: Buffer, isBinary) => {
    // The protocol has no binary messages. An empty text is rejected as malformed.
    if (!over) listener.text(isBinary ? '' : data.toString('utf8'));
  });
  socket.on('error', (error) => {
    problem ??= describeProblem(error, url);
  });
  socket.on('close', (code) => {
    clearInterval(pulse);
    if (over) return;
    over = true;
    listener.closed(code, problem);
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) sendText(stream, text);
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
