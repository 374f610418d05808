import { closeSync, openSync, readlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { systemProgram } from '../launch/system-program.ts';
import type { JobPort } from './job-ports.ts';
import { PortStream } from './port-stream.ts';
import { PROGRAMS } from './programs.ts';

/** setns and prctl by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [setns: number, prctl: number]>> = { x64: [308, 157], arm64: [268, 167] };

/** Maximum number of connections at once. A browser opens 6 to an address. Each has two processes. */
export const MAX_CONNECTIONS = 32;
/** Milliseconds without data after which a connection that the client has closed counts as ended, as in the kernel (tcp_fin_timeout). */
export const CLOSED_MS = 60_000;

/** A port in the network of a job. */
export interface ReachedPort extends Disposable {
  /** Connects to it. The stream is destroyed with an error if nothing listens there. */
  readonly connect: () => PortStream;
}

/**
 * Opens the network of a job, so that connections lead to this one, whatever happens to its processes.
 *
 * @throws SynapseError `unavailable` if networks cannot be entered here, `not_found` if the job has ended meanwhile
 */
export function reachPort(target: JobPort): ReachedPort {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (perl === undefined || calls === undefined) throw new SynapseError('unavailable', 'Ports cannot be forwarded here: perl is missing.');
  const network = openNetwork(target);
  const words = ['-e', PROGRAMS['forward.pl'], ...[...calls, target.port].map(String)];
  return { connect: () => new PortStream({ program: perl, words, network }), [Symbol.dispose]: () => closeSync(network) };
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
