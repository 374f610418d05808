import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Maximum number of texts that the other side has not taken. Each takes hundreds of bytes, however short it is. Credits allow far fewer. */
const MAX_UNREAD = 4_096;

/** Sends everything of one turn with one system call. Each call would wake the other side. */
function sendTogether(stream: Duplex | undefined, send: () => void): void {
  stream?.cork();
  send();
  if (stream !== undefined) process.nextTick(() => stream.uncork());
}

/**
 * Returns a function that sends texts. It ends the connection of a side that makes this one answer and does not read: what waits for it
 * would fill the memory.
 *
 * @param maxBytes maximum bytes that wait
 */
export function textSender(socket: WebSocket, maxBytes: number): (stream: Duplex | undefined, text: string) => void {
  let unread = 0;
  const taken = (): void => {
    unread -= 1;
  };
  return (stream, text) => {
    if (unread >= MAX_UNREAD || socket.bufferedAmount > maxBytes) return socket.terminate();
    unread += 1;
    sendTogether(stream, () => socket.send(text, taken));
  };
}
