import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import { isLong, linePieces, lineReader } from './line-reader.ts';
import { isPlainCall, parseMessage, type Refusal, refuseTooLong, RequestIds } from './parse-message.ts';

/** Maximum size of a message in bytes: 8 Mi characters of arguments, the maximum for a call, at up to 4 bytes each. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Bytes of pending output. Above this, no more requests are read until the client has read it. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Characters up to which a message is passed to the stream as a string. */
const STRING_LENGTH = 64 * 1024;
/** Bytes of the buffer for large messages, which is reused. The system allocates no memory for unused pages. */
const MEMORY_BYTES = 4 * 1024 * 1024;

/**
 * Milliseconds for answers to requests that were sent before the input ended. A script that pipes its
 * requests in reads the answers; a client that disconnected does not. The official clients send a signal
 * two seconds after they close the input: all must be over by then.
 */
const LAST_ANSWERS_MS = 1_000;

/** The request of a client of 2026-07-28 for the changes of resources. */
const LISTEN = 'subscriptions/listen';
/** First requests of a client. */
const HELLO: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
/** JSON-RPC: invalid request. */
const INVALID = -32_600;

/** The SDK's check for any kind of message. */
export function isMessage(value: unknown): value is JSONRPCMessage {
  return isPlainCall(value) || isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** A transport that reports when its connection ends. */
export interface LineTransport extends Transport {
  /** Resolves when the other side disconnects or the transport is closed. */
  readonly closed: Promise<void>;
}

/**
 * JSON-RPC over two streams, one message per line. The SDK's stdio transport closes the
 * connection on a long line and ignores a malformed one; this one answers and reads on.
 *
 * @param onListen called with each request for changes of resources before it is passed on
 */
export function lineTransport(input: Readable, output: Writable, onListen: (message: JSONRPCMessage) => void = () => {}): LineTransport {
  const { promise: closed, resolve: settle } = Promise.withResolvers<void>();
  const waiting = new Set<string | number>();
  let ids = new RequestIds();
  let open = true;
  let leaving: NodeJS.Timeout | undefined;
  let spare: Buffer | undefined;

  /** Writes a large message from a reused buffer: allocating a megabyte for each keeps the garbage collector busy. */
  const writeLarge = (pieces: Iterable<string>): void => {
    const memory = spare ?? Buffer.allocUnsafeSlow(MEMORY_BYTES);
    spare = undefined;
    let used = 0;
    for (const piece of pieces) {
      // Counting the bytes takes as long as writing them; a UTF-16 unit takes 3 at most.
      if (piece.length * 3 > memory.length - used) output.write(piece);
      else output.write(memory.subarray(used, (used += memory.write(piece, used))));
    }
    output.write('', () => (spare = memory));
  };
  const write = (message: object): void => {
    if (!open) return;
    if (isLong(message)) writeLarge(linePieces(message));
    else {
      const line = `${JSON.stringify(message)}\n`;
      if (line.length >= STRING_LENGTH) writeLarge([line]);
      else output.write(line);
    }
    if (output.writableLength > MAX_WAITING_BYTES && !input.isPaused()) {
      input.pause();
      output.once('drain', () => void (open && input.resume()));
    }
  };
  const refuse = ({ id, code, message }: Refusal): void => write({ jsonrpc: '2.0', id, error: { code, message } });

  const onData = lineReader(MAX_LINE_BYTES, {
    line: (text) => {
      // Some clients end lines with CR LF, some send empty lines to keep the pipe alive.
      if (text.trim() === '') return;
      const parsed = parseMessage(text, isMessage);
      if ('refusal' in parsed) refuse(parsed.refusal);
      else {
        const { message } = parsed;
        if ('method' in message && 'id' in message) {
          // A client that initializes again starts over.
          if (HELLO.has(message.method)) ids = new RequestIds();
          const used = ids.take(message);
          if (used !== undefined) return refuse({ id: used, code: INVALID, message: 'Another request had this id. Give each its own.' });
          waiting.add(message.id);
          if (message.method === LISTEN) onListen(message);
        }
        transport.onmessage?.(message);
      }
    },
    tooLong: (head, tail) => refuse(refuseTooLong(head, tail, MAX_LINE_BYTES)),
  });
  const onEnd = (): void => {
    if (waiting.size === 0) void transport.close();
    else leaving ??= setTimeout(() => void transport.close(), LAST_ANSWERS_MS);
  };
  const onError = (error: Error): void => {
    transport.onerror?.(error);
    void transport.close();
  };

  const transport: LineTransport = {
    closed,
    start: async () => {
      input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
      output.on('error', onError);
      if (input.readableEnded || input.destroyed) setImmediate(onEnd);
    },
    send: async (message) => {
      write(message);
      if ('method' in message || message.id === undefined) return;
      waiting.delete(message.id);
      if (leaving !== undefined && waiting.size === 0) await transport.close();
    },
    close: async () => {
      if (!open) return;
      open = false;
      clearTimeout(leaving);
      // The error listener stays: pending output to a disconnected client must not end the process.
      input.off('data', onData).off('end', onEnd).off('close', onEnd);
      input.pause();
      transport.onclose?.();
      settle();
    },
  };
  return transport;
}
