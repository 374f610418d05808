import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { SynapseError } from '@synapse/protocol';
import { PROGRAMS } from '../launch/programs.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import type { JobPort } from './job-ports.ts';

/** setns and prctl by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [setns: number, prctl: number]>> = { x64: [308, 157], arm64: [268, 167] };

/** Maximum number of connections at once. A browser opens 6 to an address. Each has two processes. */
export const MAX_CONNECTIONS = 32;
/** Milliseconds without data after which a connection that the client has closed counts as ended, as in the kernel (tcp_fin_timeout). */
const CLOSED_MS = 60_000;

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
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (perl === undefined || calls === undefined) throw new SynapseError('unavailable', 'Ports cannot be forwarded here: perl is missing.');
  await using stack = new AsyncDisposableStack();
  const network = stack.adopt(openNetwork(target), closeSync);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const child = spawn(perl, ['-e', PROGRAMS['forward.pl'], ...[...calls, target.port].map(String)], {
      cwd: '/',
      env: { PERL_BADLANG: '0' },
      stdio: ['pipe', 'pipe', 'ignore', network],
    });
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new TypeError('The program has no pipes.');
    open.add(socket);
    socket.pipe(stdin);
    stdout.pipe(socket);
    // Either end may go at any time.
    for (const stream of [socket, stdout, child]) stream.on('error', () => socket.destroy());
    // The job does not read on; its answer may still come.
    stdin.on('error', () => socket.resume());
    child.on('close', () => socket.destroySoon());
    socket.on('end', () => socket.setTimeout(CLOSED_MS, () => socket.destroy()));
    socket.on('close', () => {
      open.delete(socket);
      child.kill('SIGKILL');
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

/** Opens the network of a job. A server in it may end and start again, and its number go to a process elsewhere. */
function openNetwork({ pid, network }: JobPort): number {
  let handle: number;
  try {
    handle = openSync(`/proc/${pid}/ns/net`, 'r');
  } catch (error) {
    throw notListening(error);
  }
  if (readlinkSync(`/proc/self/fd/${handle}`) === network) return handle;
  closeSync(handle);
  throw notListening();
}

const notListening = (cause?: unknown): SynapseError =>
  new SynapseError('not_found', 'The job does not listen any more.', { hint: 'List the jobs that run: synapse jobs', cause });

async function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of open) socket.destroy();
  await closed;
}
