import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { RecordSplitter } from '../../git/record-splitter.ts';
import type { FloodGauge } from './flood-gauge.ts';
import type { ServerLog } from './server-log.ts';
import type { ServerProcess } from './server-processes.ts';

/** Bytes of one message: what is larger would fill this process's memory, not the model's context. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Bytes that wait for a server which does not read. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** How long the output of a server that has ended is read, in milliseconds. */
const DRAIN_MS = 100;
const NEWLINE = 0x0a;

/** JSON-RPC 2.0: an invalid message. */
const MALFORMED = -32600;

/** The question that something is an answer to, of whatever form. */
function answeredId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return undefined;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined;
}

/** How the transport reaches its server, and whom it tells. */
export interface StdioParts {
  readonly process: ServerProcess;
  readonly log: ServerLog;
  readonly gauge: FloodGauge;
  /** Whether a message is one that the SDK knows. */
  readonly isMessage: (value: unknown) => value is JSONRPCMessage;
  /** Hears, once, that the connection is over, and why. */
  readonly onLost: (reason: string, lasting: boolean) => void;
}

/**
 * JSON-RPC, one message a line, with a process that may say anything: lines that are no message go to the log,
 * one that is too long or too many of them end the server.
 */
export function stdioTransport({ process: server, log, gauge, isMessage, onLost }: StdioParts): Transport {
  let lost = false;
  const lose = (reason: string, lasting = false): void => {
    if (lost) return;
    lost = true;
    log.note(reason);
    onLost(reason, lasting);
    transport.onclose?.();
    void server.stop();
  };
  const onLine = (line: Buffer): void => {
    if (lost) return;
    if (line.length > MAX_MESSAGE_BYTES) return lose(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`);
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      // Many servers print a greeting or a debug line where only messages belong.
      message = undefined;
    }
    if (isMessage(message)) return transport.onmessage?.(message);
    const id = answeredId(message);
    // Whoever asked must not wait for an answer that has come.
    if (id !== undefined)
      return transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: MALFORMED, message: 'The answer has no form that JSON-RPC knows.' } });
    if (line.length === 0) return;
    if (!gauge.take(line.length)) return lose('sent far more than anybody asked for');
    log.take(Buffer.from(`[stdout] ${line.toString('utf8', 0, 1_000)}\n`));
  };
  const splitter = new RecordSplitter(onLine, { separator: NEWLINE, maxBytes: MAX_MESSAGE_BYTES + 1 });
  let unfinished = 0;
  const transport: Transport = {
    start: async () => {
      server.stdout.on('data', (chunk: Buffer) => {
        if (lost) return;
        splitter.write(chunk);
        unfinished = chunk.includes(NEWLINE) ? chunk.length - chunk.lastIndexOf(NEWLINE) - 1 : unfinished + chunk.length;
        // A line that never ends would never be looked at.
        if (unfinished > MAX_MESSAGE_BYTES) lose(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`);
      });
      server.stderr.on('data', (chunk: Buffer) => log.take(chunk));
      server.stdout.on('error', () => lose('closed its output'));
      server.stderr.on('error', () => {
        // What it says beside its answers is no part of the connection.
      });
      const drained = new Promise<void>((resolve) => void server.stdout.once('close', resolve));
      // Its last answer may still be in the pipe, and something that it started may hold the pipe open.
      void server.ended.then(async ({ reason, lasting }) => {
        await Promise.race([drained, delay(DRAIN_MS)]);
        lose(reason, lasting);
      });
    },
    send: async (message) => {
      if (lost) throw new SynapseError('unavailable', 'The server has ended.', { retryable: true });
      if (server.stdin.writableLength > MAX_WAITING_BYTES) throw new SynapseError('busy', 'The server does not read what it is sent.');
      server.stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      if (!lost) {
        lost = true;
        transport.onclose?.();
      }
      await server.stop();
    },
  };
  return transport;
}
