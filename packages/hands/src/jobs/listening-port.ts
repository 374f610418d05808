import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessEntry } from '../process/process-table.ts';

/** proc_net(5): the state of a socket that listens. */
const LISTENING = '0A';

/** The inodes of sockets that listen on a port, from a table such as `/proc/PID/net/tcp`. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/u);
    const [, local = '', , state] = fields;
    return state === LISTENING && local.endsWith(`:${wanted}`) ? [fields[9] ?? ''] : [];
  });
}

function tableOf(pid: number): string {
  return ['tcp', 'tcp6']
    .map((name) => {
      try {
        return readFileSync(`/proc/${pid}/net/${name}`, 'latin1');
      } catch {
        // It ended, or this kernel has no IPv6.
        return '';
      }
    })
    .join('\n');
}

function holds(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
      } catch {
        // Closed since it was listed.
        return false;
      }
    });
  } catch {
    // It ended.
    return false;
  }
}

/** One process for each network that these are in: a sandbox has its own. */
function oneOfEachNetwork(processes: readonly ProcessEntry[]): number[] {
  const byNetwork = new Map<string, number>();
  for (const { pid } of processes) {
    try {
      byNetwork.set(readlinkSync(`/proc/${pid}/ns/net`), pid);
    } catch {
      // It ended.
    }
  }
  return [...byNetwork.values()];
}

/** Whether one of these processes listens on a TCP port. The network may be shared: a stranger's port is not theirs. */
export function listensOn(processes: readonly ProcessEntry[], port: number): boolean {
  const inodes = oneOfEachNetwork(processes).flatMap((pid) => listeningInodes(tableOf(pid), port));
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  return sockets.size > 0 && processes.some(({ pid }) => holds(pid, sockets));
}
