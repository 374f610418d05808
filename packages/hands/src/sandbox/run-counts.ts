import { closeSync, mkdtempSync, openSync, readFileSync, readSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InheritedHandle } from '../process/processes.ts';
import type { ProcessEntry } from '../process/process-table.ts';

/** Kernel counters of a network namespace: packets without a route, and packets to local ports without a listener, such as DNS queries. */
const NETWORK_COUNTS = '/proc/net/snmp';

/** An address of another machine. With one, `curl -s` fails without any output. */
const FAR_ADDRESS = /\b(?:https?|ftp|ssh|git):\/\/(?!localhost\b|127\.|\[::1\])/u;
/** Whether a command line names an address of another machine. What the network refused it then also matters if it succeeds. */
export const namesOtherMachine = (argv: readonly string[]): boolean => argv.some((word) => FAR_ADDRESS.test(word));

/** The ends of a command after which it is counted what the network refused, as a condition of the shell. */
const COUNTED_ENDS = { all: 'true', failures: '[ "$code" != 0 ]', none: 'false' } as const;

/** When it is counted what the network refused. */
interface NetworkCounts {
  /** Whether others used the network before: the counters of a new one are zero. */
  readonly isShared: boolean;
  readonly ends: keyof typeof COUNTED_ENDS;
}

/**
 * Runs a command and counts the processes in its PID namespace that are left when it ends: the kernel kills them in the
 * next moment, and they are not visible from outside. Excludes PID 1, this shell, its parent, and ended processes.
 * Before and after the command, it reports what the network refused: without a route out, these are attempts to resolve and reach
 * other machines. A shell reads these counters byte by byte, which takes longer than many a command: it reads them only where they
 * tell something. Signals are for the command: if the command survives one, so does this shell. The shell has no stderr, so it
 * prints nothing that the command did not. Its descriptors are closed in the command. The names begin with `synapse_` to avoid clashes.
 */
const script = (descriptor: number, { isShared, ends }: NetworkCounts): string =>
  `exec ${descriptor + 1}>&2 2>&-; trap : INT TERM HUP QUIT
synapse_refused() {
  synapse_n=0
  while read -r synapse_kind synapse_x synapse_2 synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_12 synapse_x; do
    case $synapse_kind$synapse_2 in Ip:[0-9]*) synapse_n=$((synapse_n + synapse_12)) ;; Udp:[0-9]*) synapse_n=$((synapse_n + synapse_2)) ;; esac
  done < ${NETWORK_COUNTS}
  echo "$synapse_n" >&${descriptor}
}
${isShared ? 'synapse_refused' : `echo 0 >&${descriptor}`}
(exec 2>&${descriptor + 1} ${descriptor + 1}>&- ${descriptor}>&-; exec "$@"); code=$?; left=0
if ${COUNTED_ENDS[ends]}; then synapse_refused; else echo - >&${descriptor}; fi
for process in /proc/[0-9]*; do
  case \${process#/proc/} in 1 | $$ | $PPID) continue ;; esac
  { read -r stat < "$process/stat"; } 2>&- || continue
  case \${stat##*) } in [ZX]*) ;; *) left=$((left + 1)) ;; esac
done
echo "$left" >&${descriptor}; exit "$code"`;

/** The counts of one run. */
export interface RunCounts extends Disposable {
  /** The handle that the command must inherit. */
  readonly handle: InheritedHandle;
  /** Wraps the command inside the sandbox. @param descriptor of the handle there */
  wrap(argv: readonly string[], descriptor: number, network: NetworkCounts): string[];
  /** Number of processes that it left running; undefined if the command was killed before they were counted. */
  leftRunning(): number | undefined;
  /**
   * Number of times that the network refused it; 0 if it was not counted.
   *
   * @param running the processes of a command that still runs
   */
  refused(running?: readonly ProcessEntry[]): number;
}

/** Opens the counts for one run. They are returned in an unlinked file. */
export function openRunCounts(): RunCounts {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-counts-'));
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, 'counts'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
  // A call looks at the counts until its changes are applied. By then the descriptor may belong to another file.
  let last: ReadonlyArray<number | undefined> | undefined;
  const read = (): ReadonlyArray<number | undefined> => {
    if (last !== undefined) return last;
    const room = Buffer.alloc(64);
    const lines = room
      .toString('latin1', 0, readSync(descriptor, room, 0, room.length, 0))
      .split('\n')
      .slice(0, -1);
    return lines.map((line) => (/^\d{1,10}$/u.test(line) ? Number(line) : undefined));
  };
  return {
    handle: { descriptor },
    wrap: (argv, inside, network) => ['/bin/sh', '-c', script(inside, network), 'sh', ...argv],
    leftRunning: () => read()[2],
    refused(running) {
      const [before, after] = read();
      const now = running === undefined ? after : refusedNow(running);
      return before === undefined || now === undefined ? 0 : now - before;
    },
    [Symbol.dispose]() {
      last ??= read();
      closeSync(descriptor);
    },
  };
}

/** The current count of what the network of a command refused. */
function refusedNow(running: readonly ProcessEntry[]): number | undefined {
  const outside = readlinkSync('/proc/self/ns/net');
  for (const { pid } of running) {
    try {
      if (readlinkSync(`/proc/${pid}/ns/net`) !== outside) return refusedIn(readFileSync(`/proc/${pid}/net/snmp`, 'latin1'));
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return undefined;
}

/** Parses the same counters as the shell script: the 12th of IP is OutNoRoutes, the 2nd of UDP is NoPorts (RFC 4293, RFC 4113). */
export function refusedIn(counts: string): number {
  const value = (protocol: string, index: number): number =>
    Number(new RegExp(`^${protocol}: (\\d.*)$`, 'mu').exec(counts)?.[1]?.split(' ')[index - 1] ?? 0);
  return value('Ip', 12) + value('Udp', 2);
}
