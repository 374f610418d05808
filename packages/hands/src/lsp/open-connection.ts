import type { Writable } from 'node:stream';
import type { DataCallback, Message, MessageConnection, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import { FrameSplitter } from './frame-splitter.ts';

/** A conversation with a server. */
export interface ServerConnection {
  readonly connection: MessageConnection;
  /** Takes what the server writes. Throws for what is no conversation, or is too much. */
  push(chunk: Buffer): void;
  /** Lets the server say much again: a new question was asked. */
  refill(): void;
  close(): void;
}

/** What a server may say between two questions. One that says more is broken, and would only fill memory. */
const MAX_BYTES_AT_A_TIME = 32 * 1024 * 1024;

/** What is answered to questions of the server; it waits for an answer before it goes on. */
const ANSWERS: Readonly<Record<string, (params: unknown) => unknown>> = {
  // No settings: a null for each that was asked for.
  'workspace/configuration': (params) => {
    const items: unknown = Object(params).items;
    return Array.isArray(items) ? items.slice(0, 1_000).map(() => null) : [];
  },
  'client/registerCapability': () => null,
  'client/unregisterCapability': () => null,
  'window/workDoneProgress/create': () => null,
  'window/showMessageRequest': () => null,
  'workspace/workspaceFolders': () => null,
  'workspace/diagnostic/refresh': () => null,
  'workspace/semanticTokens/refresh': () => null,
  'workspace/inlayHint/refresh': () => null,
  'workspace/codeLens/refresh': () => null,
  // Nothing that a server wants to change is ever changed.
  'workspace/applyEdit': () => ({ applied: false }),
  'window/showDocument': () => ({ success: false }),
};

/** Opens a conversation over a pipe to write on; what the server writes is pushed in. */
export async function openConnection(input: Writable): Promise<ServerConnection> {
  const { createMessageConnection, Emitter, ResponseError, ErrorCodes } = await import('vscode-jsonrpc/node');
  const errors = new Emitter<never>();
  const closed = new Emitter<void>();
  const frames = new FrameSplitter();
  let deliver: DataCallback = () => {};
  let budget = MAX_BYTES_AT_A_TIME;
  const reader: MessageReader = {
    onError: errors.event,
    onClose: closed.event,
    onPartialMessage: new Emitter<never>().event,
    listen(callback) {
      deliver = callback;
      return { dispose: () => {} };
    },
    dispose: () => {},
  };
  const writer: MessageWriter = {
    onError: errors.event,
    onClose: closed.event,
    write(message: Message) {
      const body = Buffer.from(JSON.stringify(message));
      // A server that is gone reads nothing more; its end is told by the process.
      if (input.writable) input.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
      return Promise.resolve();
    },
    end: () => void input.end(),
    dispose: () => {},
  };
  const connection = createMessageConnection(reader, writer);
  connection.onRequest((method, params) => {
    const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
    return answer?.(params) ?? (answer === undefined ? new ResponseError(ErrorCodes.MethodNotFound, 'not supported') : null);
  });
  connection.listen();
  return {
    connection,
    push(chunk) {
      budget -= chunk.length;
      if (budget < 0) throw new RangeError('more than it was asked');
      for (const body of frames.push(chunk)) {
        const message: unknown = JSON.parse(body.toString());
        if (Object(message).jsonrpc !== '2.0') throw new RangeError('no message of the protocol');
        deliver(message as Message);
      }
    },
    refill: () => void (budget = MAX_BYTES_AT_A_TIME),
    close() {
      closed.fire();
      connection.dispose();
      input.end();
    },
  };
}
