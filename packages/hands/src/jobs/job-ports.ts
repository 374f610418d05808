import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { runningTree } from '../process/process-tree.ts';
import { PROXY_SOCKET } from '../sandbox/network/bridge-port.ts';
import { asItIs } from './end-leftovers.ts';
import type { JobRecord } from './job-record.ts';

/** TCP_LISTEN (include/net/tcp_states.h), as `/proc/net/tcp` shows it. */
const LISTENS = '0A';

/** A port on which a job listens. */
export interface JobPort {
  readonly port: number;
  /** A process that is in the same network. */
  readonly pid: number;
  /** The identity of the network. */
  readonly network: string;
  /** The number of its socket. */
  readonly socket: string;
  /** Whether the network is the machine's, so that the port can be reached without more. */
  readonly isShared: boolean;
}

/** Parses `/proc/PID/net/tcp` or `tcp6`: the listening ports by the number of their socket. */
export function listeningPorts(table: string): Map<string, number> {
  const rows = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/u));
  return new Map(
    rows.flatMap(([, local, , state, , , , , , inode]) => {
      const port = Number.parseInt(local?.split(':')[1] ?? '', 16);
      return state === LISTENS && inode !== undefined && port > 0 ? [[inode, port] as const] : [];
    }),
  );
}

/** The TCP ports on which the processes of a running job listen, in order. */
export function jobPorts(record: JobRecord): JobPort[] {
  const { process: first, status } = asItIs(record);
  if (first === null || status === 'ended') return [];
  const found = new Map<number, JobPort>();
  const own = networkOf('self');
  /** By network: most processes of a job are in one. */
  const listening = new Map<string, Map<string, number>>();
  for (const { pid } of runningTree({ pid: first.pid, startTime: first.start_time, tag: first.mark })) {
    const network = networkOf(pid);
    if (network === undefined) continue;
    const ports = listening.get(network) ?? portsIn(pid);
    listening.set(network, ports);
    if (ports.size === 0) continue;
    for (const inode of socketsOf(pid)) {
      const port = ports.get(inode);
      if (port !== undefined && !isBridge(pid)) found.set(port, { port, pid, network, socket: inode, isShared: network === own });
    }
  }
  return [...found.values()].toSorted((one, other) => one.port - other.port);
}

/** Whether the process still listens there, with the same socket: much faster than to look for all processes of its job again. */
export function stillListens({ port, pid, network, socket }: JobPort): boolean {
  return networkOf(pid) === network && socketsOf(pid).includes(socket) && portsIn(pid).get(socket) === port;
}

/** Whether a process forwards the network of the job, which is no server of the job's. */
function isBridge(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(PROXY_SOCKET);
  } catch {
    // It has ended.
    return false;
  }
}

function networkOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    // It has ended, or belongs to another user.
    return undefined;
  }
}

function portsIn(pid: number): Map<string, number> {
  const tables = ['tcp', 'tcp6'].map((name) => {
    try {
      return readFileSync(`/proc/${pid}/net/${name}`, 'latin1');
    } catch {
      // It has ended, or the kernel has no IPv6.
      return '';
    }
  });
  return new Map(tables.flatMap((table) => [...listeningPorts(table)]));
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return /^socket:\[(?<inode>\d+)\]$/u.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.groups?.['inode'] ?? [];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    });
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}
