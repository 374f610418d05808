import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { SynapseError } from '@synapse/protocol';
import type { JobPort } from './job-ports.ts';
import { CLOSED_MS, MAX_CONNECTIONS, reachPort } from './reach-port.ts';

/** A port of the machine that leads to a port of a job, until it is disposed. */
export interface ForwardedPort extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
}

/**
 * Lets programs of this machine reach a port of a job that has a network of its own.
 *
 * @throws SynapseError `unavailable` if networks cannot be entered here, `not_found` if the job has ended meanwhile
 */
export async function forwardPort(target: JobPort): Promise<ForwardedPort> {
  await using stack = new AsyncDisposableStack();
  const reached = stack.use(reachPort(target));
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const stream = reached.connect();
    open.add(socket);
    socket.pipe(stream).pipe(socket);
    // Either end may go at any time.
    socket.on('error', () => stream.destroy());
    stream.on('error', () => socket.resetAndDestroy());
    stream.on('close', () => socket.destroySoon());
    socket.on('end', () => socket.setTimeout(CLOSED_MS, () => socket.destroy()));
    socket.on('close', () => {
      open.delete(socket);
      if (!stream.writableFinished || !stream.readableEnded) stream.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => await close(server, open));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new SynapseError('internal', 'The server has no port.');
  const opened = stack.move();
  return { port: address.port, [Symbol.asyncDispose]: async () => await opened.disposeAsync() };
}

async function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of open) socket.destroy();
  await closed;
}
