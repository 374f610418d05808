import { errorText, type CallResult } from '@synapse/protocol';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { send, type SentByAsker } from './messages.ts';
import { windowSockets } from './window-sockets.ts';

/** Maximum length of an output, in characters. A window keeps no more. */
const MAX_OUTPUT = 400_000;
/** Maximum bytes that wait for a window. A stopped one gets no more, so that it does not fill the memory of this process. */
const MAX_WAITING = 8 * 1024 * 1024;
/** Milliseconds without an output after which a connection ends. A window has a limited number of them. */
const IDLE_MS = 10_000;
/** Milliseconds to send what waits at the end. */
const CLOSE_MS = 1_000;

/** Connections to the windows that are open. */
export class OutputLines {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #sockets = new Map<string, Socket>();

  constructor(stateFolder: string, root: string) {
    this.#stateFolder = stateFolder;
    this.#root = root;
  }

  tell(result: CallResult): void {
    const text = (result.ok ? result.output : errorText(result.error)).slice(0, MAX_OUTPUT);
    const message: SentByAsker = { type: 'output', root: this.#root, call: result.meta.callId, ok: result.ok, text };
    for (const path of windowSockets(this.#stateFolder)) {
      const known = this.#sockets.get(path);
      const socket = known?.writable === true ? known : this.#open(path);
      if (socket.writableLength < MAX_WAITING) send(socket, message);
    }
  }

  async close(): Promise<void> {
    const sockets = [...this.#sockets.values()];
    const closed = sockets.map(async (socket) => {
      if (!socket.closed) await once(socket, 'close', { signal: AbortSignal.timeout(CLOSE_MS) });
    });
    // Else a process with nothing else to do would leave in the middle of its end. The signal bounds the wait.
    for (const socket of sockets) socket.ref().end();
    // A window that does not read loses what waits.
    await Promise.allSettled(closed);
    for (const socket of sockets) socket.destroy();
  }

  #open(path: string): Socket {
    const socket = connect(path);
    this.#sockets.set(path, socket);
    socket.once('close', () => {
      if (this.#sockets.get(path) === socket) this.#sockets.delete(path);
    });
    socket.on('error', (error) => {
      // The window was killed. Otherwise each call would try its socket again.
      if ('code' in error && error.code === 'ECONNREFUSED') rmSync(path, { force: true });
    });
    // A window that says something ends with its answer unread.
    socket.resume();
    socket.setTimeout(IDLE_MS, () => socket.end());
    // Open connections must not keep a process alive that has nothing else to do.
    socket.unref();
    return socket;
  }
}
