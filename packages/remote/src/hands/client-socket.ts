import { WebSocket } from 'ws';

/** A connection that is not answered for so long is given up. */
const HANDSHAKE_MS = 10_000;
const MAX_MESSAGE = 1_048_576;

/** What a client socket reports. */
export interface SocketListener {
  opened(): void;
  text(text: string): void;
  /** Once, at the end. `problem` says why in plain words, where it is known. */
  closed(code: number, problem: string | undefined): void;
}

/** A connection of a client. */
export interface ClientSocket {
  send(text: string): void;
  /** Ends it now; nothing more is reported. */
  end(code: number, reason: string): void;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Start the relay, or check host and port.',
  ENOTFOUND: 'Host not found. Check the URL and the network.',
  EAI_AGAIN: 'The name of the host cannot be looked up. Check the network.',
  ECONNRESET: 'The connection was reset.',
  ETIMEDOUT: 'The host does not answer. Check the network.',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired. If it has not, check the clock of this machine.',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not valid yet. Check the clock of this machine.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed. Trust it with NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate cannot be verified. Trust its issuer with NODE_EXTRA_CA_CERTS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host. Check the URL.',
  EPROTO: 'TLS failed. For a relay without TLS the URL starts with ws://.',
};

/** Why a connection failed, and what to do. */
export function describeProblem(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = PROBLEMS[code];
  if (known !== undefined) return known;
  const status = /Unexpected server response: (\d+)/u.exec(error.message)?.[1];
  return status === undefined ? 'The connection failed.' : `The server answered with HTTP ${status}, not a WebSocket. Check the URL.`;
}

/** Opens a WebSocket. */
export function openClientSocket(url: string, listener: SocketListener): ClientSocket {
  const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_MS, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  let problem: string | undefined;
  let over = false;
  socket.on('open', () => !over && listener.opened());
  socket.on('message', (data: Buffer, isBinary) => {
    // The protocol has no binary messages; a text that is none is refused as any other.
    if (!over) listener.text(isBinary ? '' : data.toString('utf8'));
  });
  socket.on('error', (error) => {
    problem ??= describeProblem(error);
  });
  socket.on('close', (code) => {
    if (over) return;
    over = true;
    listener.closed(code, problem);
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    end: (code, reason) => {
      over = true;
      // The other side may be gone without a word, so its answer is not waited for.
      if (socket.readyState === WebSocket.OPEN) socket.close(code, reason.slice(0, 100));
      setTimeout(() => socket.terminate(), 1_000).unref();
    },
  };
}
