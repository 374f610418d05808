import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import { isLong, linePieces } from './line-pieces.ts';
import { lineReader } from './line-reader.ts';
import { parseMessage, refuseTooLong, type Refusal } from './parse-message.ts';
import { isPlainCall, isPlainPing } from './plain-call.ts';
import { stayAwake } from './stay-awake.ts';
import { immediateWriter } from './write-now.ts';

/** Bytes of one message: 8 Mi characters of arguments, the most a call may have, at up to 4 bytes each. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Bytes of answers that wait for a client. Past that no more questions are read until it has taken them. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Characters up to which a message is handed to the stream as it is. */
const STRING_LENGTH = 64 * 1024;
/** Memory for large messages, which is kept for the next one. Of what is not written to, the system gives none. */
const MEMORY_BYTES = 4 * 1024 * 1024;

/**
 * How long questions that were asked before the input ended may still be answered, in milliseconds. A
 * script that pipes its questions in wants the answers; of a client that left nobody reads them. The
 * official clients send a signal two seconds after they closed the input: by then all must be over.
 */
const LAST_ANSWERS_MS = 1_000;

/** The check of the SDK, whatever kind of message it is. */
export function isMessage(value: unknown): value is JSONRPCMessage {
  return isPlainCall(value) || isPlainPing(value) || isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** A transport that tells when its connection is over. */
export interface LineTransport extends Transport {
  /** Settles once the other side is gone or the transport was closed. */
  readonly closed: Promise<void>;
}

/**
 * JSON-RPC, one message a line, over two streams. The SDK's own stdio transport gives up the
 * connection on a long line and says nothing on a malformed one; this one answers and reads on.
 */
export function lineTransport(input: Readable, output: Writable): LineTransport {
  const { promise: closed, resolve: settle } = Promise.withResolvers<void>();
  const waiting = new Set<string | number>();
  let open = true;
  let leaving: NodeJS.Timeout | undefined;
  let spare: Buffer | undefined;
  const awake = stayAwake();
  const writeNow = immediateWriter(output);

  /** Writes a large message from memory that is used again: a new megabyte for each keeps the garbage collector busy. */
  const writeLarge = (pieces: Iterable<string>): void => {
    const memory = spare ?? Buffer.allocUnsafeSlow(MEMORY_BYTES);
    spare = undefined;
    let used = 0;
    for (const piece of pieces) {
      // Counting the bytes takes as long as writing them; a UTF-16 unit has 3 at most.
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
      else if (writeNow?.(line) !== true) output.write(line);
    }
    if (output.writableLength > MAX_WAITING_BYTES && !input.isPaused()) {
      input.pause();
      output.once('drain', () => void (open && input.resume()));
    }
  };
  const refuse = ({ id, code, message }: Refusal): void => write({ jsonrpc: '2.0', id, error: { code, message } });

  const onData = lineReader(MAX_LINE_BYTES, {
    line: (text) => {
      // Some clients end lines with CR LF, some send an empty line to keep the pipe alive.
      if (text.trim() === '') return;
      const parsed = parseMessage(text, isMessage);
      if ('refusal' in parsed) refuse(parsed.refusal);
      else {
        if ('method' in parsed.message && 'id' in parsed.message) waiting.add(parsed.message.id);
        transport.onmessage?.(parsed.message);
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
      awake();
      if (leaving !== undefined && waiting.size === 0) await transport.close();
    },
    close: async () => {
      if (!open) return;
      open = false;
      clearTimeout(leaving);
      // The error listener stays: what is under way to a client that left must not end the process.
      input.off('data', onData).off('end', onEnd).off('close', onEnd);
      input.pause();
      transport.onclose?.();
      settle();
    },
  };
  return transport;
}
