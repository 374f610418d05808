import { randomBytes, randomInt } from 'node:crypto';
import { readProcessFile } from './process-table.ts';
import type { ProcessLimits } from './processes.ts';

/** Holds the marks of all calls that a process descends from, outermost first. */
export const MARK_VARIABLE = 'SYNAPSE_CALL';
/** Whether this process was started by hands, for a call or as an MCP server. */
export function isInsideCall(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment[MARK_VARIABLE] !== undefined;
}

/** Marks of this many nested calls are handed down. */
const MAX_NESTED = 8;

/**
 * What every process of a call carries, from its start on. The variable can be lost (`env -i`, a daemon
 * that overwrites its memory, one that hides it); the resource limit cannot: RLIMIT_RSS has had no effect
 * since Linux 2.4.30, is inherited by every fork and exec, may only be lowered, and all may read it.
 */
export interface TreeMark {
  readonly variable: string;
  /** Value of RLIMIT_RSS in bytes, as decimal text. */
  readonly limit: string;
  /** The same in KiB, as `ulimit -m` takes it. */
  readonly limitKib: number;
}

/** Makes the marks of one hands. They share a beginning, by which all its processes can be found at once. */
export class TreeMarks {
  /** Begins the variable of each mark. */
  readonly variablePrefix = randomBytes(9).toString('hex');
  /** Nine digits; a limit is these and ten more. */
  readonly limitPrefix = randomInt(100_000_000, 900_000_000);
  #count = 0;

  next(): TreeMark {
    // 10^10 bytes are 9,765,625 KiB: so many marks share the nine leading digits, and all stay below 2^63.
    this.#count = (this.#count + 1) % 9_765_625;
    const limitKib = this.limitPrefix * 9_765_625 + this.#count;
    return { variable: `${this.variablePrefix}${this.#count.toString(36).padStart(5, '0')}`, limit: String(BigInt(limitKib) * 1024n), limitKib };
  }
}

/** The value of the mark variable: a call inside a call keeps the outer mark, so that the outer can end it. */
export function markValue(mark: TreeMark, inherited: string | undefined): string {
  const outer = inherited === undefined ? [] : inherited.split(',').slice(-MAX_NESTED);
  return [...outer, mark.variable].join(',');
}

/** Whether a process carries a mark. */
export function isMarked(pid: number, mark: TreeMark): boolean {
  return readProcessFile(pid, 'limits')?.includes(mark.limit) === true || readProcessFile(pid, 'environ')?.includes(mark.variable) === true;
}

/**
 * Sets, in this order: no core dumps, which would hold secrets; the mark; that a machine out of memory ends the command
 * before Synapse; the group that it belongs to; and its limits. Where one is not permitted, the command runs without it:
 * a limit that is lower already stays. The errors go nowhere: a redirection to /dev/null would leave all out where that
 * cannot be opened.
 */
const HARDEN = `{
  ulimit -c 0; ulimit -m "$1"; echo 500 > /proc/self/oom_score_adj
  [ -z "$2" ] || echo 0 > "$2"
  [ -z "$3" ] || { ulimit -d "$3"; ulimit -t "$4"; ulimit -f "$5"; }
} 2>&-; shift 5; exec "$@"`;

/** How to harden a process. */
export interface Hardening {
  readonly mark: TreeMark;
  /** The file that makes a process that writes to it a member of a control group. */
  readonly groupDoor?: string | undefined;
  readonly limits?: ProcessLimits | undefined;
}

/** The command line that starts another one hardened, and marked by its limit. */
export function hardenedArgv(argv: readonly string[], { mark, groupDoor = '', limits }: Hardening): [string, ...string[]] {
  const numbers = limits === undefined ? ['', '', ''] : [limits.memoryKib, limits.cpuSeconds, limits.fileBlocks].map(String);
  return ['/bin/sh', '-c', HARDEN, 'sh', String(mark.limitKib), groupDoor, ...numbers, ...argv];
}
