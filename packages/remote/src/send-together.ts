import type { Duplex } from 'node:stream';

/** Sends everything of one turn with one system call. Each call would wake the other side. */
export function sendTogether(stream: Duplex | undefined, send: () => void): void {
  stream?.cork();
  send();
  if (stream !== undefined) process.nextTick(() => stream.uncork());
}
