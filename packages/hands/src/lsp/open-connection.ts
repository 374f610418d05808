import type { Writable } from 'node:stream';
import type { DataCallback, Message, MessageConnection, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';

/** Maximum size of a header in bytes. A real one has two short lines. */
const MAX_HEADER_BYTES = 8 * 1024;
/** Maximum size of a message in bytes. All diagnostics of a large file are about a tenth of it. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const END_OF_HEADER = '\r\n\r\n';

/** Splits the byte stream of a language server into messages. Buffers at most one message of limited size. */
export class FrameSplitter {
  #header = Buffer.alloc(0);
  #body: Buffer[] = [];
  /** Remaining bytes of the body; undefined while reading a header. */
  #missing: number | undefined;

  /**
   * Returns the messages that these bytes complete.
   *
   * @throws RangeError if the stream is malformed or a message is too large; the stream is unusable afterwards
   */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#missing === undefined) {
        const before = this.#header.length;
        const header = Buffer.concat([this.#header, rest.subarray(0, MAX_HEADER_BYTES + END_OF_HEADER.length)]);
        const end = header.indexOf(END_OF_HEADER);
        if (end === -1) {
          if (header.length > MAX_HEADER_BYTES) throw new RangeError('a header without an end');
          this.#header = header;
          return messages;
        }
        this.#missing = contentLength(header.toString('latin1', 0, end));
        this.#header = Buffer.alloc(0);
        rest = rest.subarray(end + END_OF_HEADER.length - before);
      }
      const part = rest.subarray(0, this.#missing);
      this.#body.push(part);
      this.#missing -= part.length;
      rest = rest.subarray(part.length);
      if (this.#missing > 0) continue;
      messages.push(Buffer.concat(this.#body));
      this.#body = [];
      this.#missing = undefined;
    }
    return messages;
  }
}

function contentLength(header: string): number {
  const value = /^content-length:[ \t]*(\d{1,10})[ \t]*$/imu.exec(header)?.[1];
  const length = Number(value ?? Number.NaN);
  if (length > 0 && length <= MAX_MESSAGE_BYTES) return length;
  throw new RangeError(value === undefined ? 'no content length' : `a message that is ${length === 0 ? 'empty' : 'too large'}`);
}

/** A connection to a server. */
export interface ServerConnection {
  readonly connection: MessageConnection;
  /** Handles the server's output. Throws if it violates the protocol or exceeds the limit. */
  push(chunk: Buffer): void;
  /** Resets the output limit for a new request. */
  refill(): void;
  close(): void;
}

/** Maximum output, in bytes, between two requests. A server that sends more is broken and would only fill the memory. */
const MAX_BYTES_AT_A_TIME = 32 * 1024 * 1024;

/** Responses to requests of the server, which waits for them. */
const ANSWERS: Readonly<Record<string, (params: unknown) => unknown>> = {
  // No settings: returns a null for each requested item.
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
  // The server must not change anything.
  'workspace/applyEdit': () => ({ applied: false }),
  'window/showDocument': () => ({ success: false }),
};

/** Opens a connection that writes to a pipe; the server's output is pushed in. */
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
      // If this is false, the server has ended, which its process reports.
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
