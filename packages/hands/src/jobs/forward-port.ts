import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { SynapseError } from '@synapse/protocol';
import { PROGRAMS } from '../launch/programs.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import type { JobPort } from './job-ports.ts';

/** setns by architecture (asm/unistd.h). */
const SETNS: Partial<Record<NodeJS.Architecture, number>> = { x64: 308, arm64: 268 };

/** A port of the machine that leads to a port of a job. */
export interface ForwardedPort extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
}

/**
 * Lets programs of this machine reach a port of a job that has a network of its own. Ends with the signal or on disposal.
 *
 * @throws SynapseError `unavailable` if the network cannot be entered
 */
export async function forwardPort({ pid, port }: JobPort, signal: AbortSignal): Promise<ForwardedPort> {
  const [perl, setns] = [systemProgram('perl'), SETNS[process.arch]];
  if (perl === undefined || setns === undefined) throw new SynapseError('unavailable', 'Ports cannot be forwarded here: perl is missing.');
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const child = spawn(perl, ['-e', PROGRAMS['forward.pl'], String(setns), String(pid), String(port)], {
      cwd: '/',
      env: { PERL_BADLANG: '0' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    open.add(socket);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    // Either end may go at any time.
    for (const stream of [socket, child.stdin, child.stdout, child]) stream.on('error', () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      child.kill('SIGKILL');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening', { signal });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new SynapseError('internal', 'The server has no port.');
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  return { port: address.port, [Symbol.asyncDispose]: close };
}
