import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { isPlainCall, parseMessage, type Refusal, refuseTooLong, RequestIds } from './parse-message.ts';

const NEWLINE = 0x0a;
/** Bytes kept of each end of a line that is too long, to find the id to answer. */
const END_BYTES = 256;

/** Receives the lines of a byte stream. */
interface LineListener {
  line(text: string): void;
  /** A line over the limit; only its ends are kept. */
  tooLong(head: string, tail: string): void;
}

/**
 * Splits a byte stream into lines. Each byte is read once and copied at most once, regardless of the
 * chunks. A line over the limit is dropped as it arrives: it never fills the memory.
 */
export function lineReader(limitBytes: number, listener: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let dropping: { head: string; tail: Buffer } | undefined;

  const take = (part: Buffer): void => {
    length += part.length;
    if (dropping !== undefined) {
      dropping.tail = Buffer.concat([dropping.tail, part.subarray(-END_BYTES)]).subarray(-END_BYTES);
      return;
    }
    parts.push(part);
    if (length <= limitBytes) return;
    const whole = Buffer.concat(parts);
    dropping = { head: whole.toString('utf8', 0, END_BYTES), tail: Buffer.from(whole.subarray(-END_BYTES)) };
    parts = [];
  };

  const finish = (): void => {
    const [first] = parts;
    if (dropping !== undefined) listener.tooLong(dropping.head, dropping.tail.toString());
    // Decoded as a whole: a character may span chunks.
    else if (first !== undefined) listener.line((parts.length === 1 ? first : Buffer.concat(parts)).toString());
    parts = [];
    length = 0;
    dropping = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

/** Characters from which a text is written in pieces and a message from a buffer, and the size of a piece. */
export const PIECE_LENGTH = 64 * 1024;
/** Placeholder for a text written in pieces; random, so that no other text can match it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}"`, 'u');

/** Whether a message has a long text; in results, texts are in `content`. */
export function isLong(message: object): boolean {
  const { result } = message as { readonly result?: { readonly content?: unknown } };
  const content = result?.content;
  return (
    Array.isArray(content) &&
    content.some((block: { readonly text?: unknown }) => typeof block.text === 'string' && block.text.length >= PIECE_LENGTH)
  );
}

/**
 * Serializes a message as a line, with long texts in pieces: the other side reads one while the next is created. A split
 * surrogate pair is written as two escapes, which denote the same text.
 */
export function* linePieces(message: object): Generator<string> {
  const texts: string[] = [];
  const frame = JSON.stringify(message, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length < PIECE_LENGTH) return value;
    texts.push(value);
    return MARK;
  });
  for (const [index, between] of frame.split(MARKED).entries()) {
    const text = index === 0 ? undefined : texts[index - 1];
    if (text !== undefined) {
      for (let start = 0; start < text.length; start += PIECE_LENGTH) yield JSON.stringify(text.slice(start, start + PIECE_LENGTH)).slice(1, -1);
    }
    yield `${text === undefined ? '' : '"'}${between}${index < texts.length ? '"' : '\n'}`;
  }
}

/** Maximum size of a message in bytes: 8 Mi characters of arguments, the maximum for a call, at up to 4 bytes each. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Bytes of pending output. Above this, no more requests are read until the client has read it. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
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

/** Writes large messages from a reused buffer: allocating a megabyte for each keeps the garbage collector busy. */
class LargeWriter {
  readonly #output: Writable;
  #spare: Buffer | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  write(pieces: Iterable<string>): void {
    const memory = this.#spare ?? Buffer.allocUnsafeSlow(MEMORY_BYTES);
    this.#spare = undefined;
    let used = 0;
    for (const piece of pieces) {
      // Counting the bytes takes as long as writing them; a UTF-16 unit takes 3 at most.
      if (piece.length * 3 > memory.length - used) this.#output.write(piece);
      else this.#output.write(memory.subarray(used, (used += memory.write(piece, used))));
    }
    this.#output.write('', () => (this.#spare = memory));
  }
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
  const large = new LargeWriter(output);

  const write = (message: object): void => {
    if (!open) return;
    if (isLong(message)) large.write(linePieces(message));
    else {
      const line = `${JSON.stringify(message)}\n`;
      if (line.length >= PIECE_LENGTH) large.write([line]);
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
