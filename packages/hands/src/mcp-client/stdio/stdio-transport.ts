import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { RecordSplitter } from '../../text/record-splitter.ts';
import type { FloodGauge } from './flood-gauge.ts';
import type { ServerLog } from './server-log.ts';
import type { ServerProcess } from './server-processes.ts';

/** Maximum size of a message in bytes: protects the memory of this process, not the context of the model. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Maximum number of bytes waiting for a server that does not read. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Milliseconds for reading the output of a server that has ended. */
const DRAIN_MS = 100;
const NEWLINE = 0x0a;

/** JSON-RPC 2.0: an invalid message. */
const MALFORMED = -32600;

/** Returns the id of the request that a value answers, in any form. */
function answeredId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || 'method' in value) return undefined;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined;
}

/** What the transport is made from. */
export interface StdioParts {
  readonly process: ServerProcess;
  readonly log: ServerLog;
  readonly gauge: FloodGauge;
  /** Whether a value is a message known to the SDK. */
  readonly isMessage: (value: unknown) => value is JSONRPCMessage;
  /** Called once, with the reason, when the connection ends. */
  readonly onLost: (reason: string, lasting: boolean) => void;
}

/**
 * JSON-RPC, one message per line, with an untrusted process: lines that are no messages go to the log, and
 * a line that is too long, or too many lines, end the server.
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
      // Many servers print a greeting or debug output on stdout.
      message = undefined;
    }
    if (isMessage(message)) return transport.onmessage?.(message);
    const id = answeredId(message);
    // The request must not wait for an answer that has arrived.
    if (id !== undefined)
      return transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: MALFORMED, message: 'The answer has no form that JSON-RPC knows.' } });
    if (line.length === 0) return;
    if (!gauge.take(line.length)) return lose('sent far more than anybody asked for');
    log.stray(line.toString('utf8', 0, 1_000));
  };
  const splitter = new RecordSplitter(onLine, { separator: NEWLINE, maxBytes: MAX_MESSAGE_BYTES + 1 });
  let unfinished = 0;
  const transport: Transport & { readonly stderr: null; readonly pid: number } = {
    // The SDK recognizes a process by these fields: if one does not answer the version request, it is an old server.
    stderr: null,
    pid: server.pid,
    start: async () => {
      server.stdout.on('data', (chunk: Buffer) => {
        if (lost) return;
        splitter.write(chunk);
        unfinished = chunk.includes(NEWLINE) ? chunk.length - chunk.lastIndexOf(NEWLINE) - 1 : unfinished + chunk.length;
        // A line without an end would never be checked.
        if (unfinished > MAX_MESSAGE_BYTES) lose(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`);
      });
      server.stderr.on('data', (chunk: Buffer) => log.take(chunk));
      server.stdout.on('error', () => lose('closed its output'));
      server.stderr.on('error', () => {
        // Errors of stderr do not affect the connection.
      });
      // The reason for its end is often in the last output.
      const drained = Promise.all([server.stdout, server.stderr].map((stream) => new Promise<void>((resolve) => void stream.once('close', resolve))));
      // The last answer may still be in the pipe, and a child process may keep the pipe open.
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
