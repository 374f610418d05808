import type { StdioOptions } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { CompiledLauncher } from '../launch/compiled-launcher.ts';
import type { Argv } from '../launch/launch-steps.ts';
import { PROGRAMS } from '../launch/programs.ts';
import { readProcessFile } from './process-table.ts';

/** Limits of one process, in the units of a shell (POSIX). */
export interface ProcessLimits {
  /** KiB of private writable memory (RLIMIT_DATA). */
  readonly memoryKib: number;
  /** Seconds of processor time. */
  readonly cpuSeconds: number;
  /** Maximum file size, in blocks of 512 bytes. */
  readonly fileBlocks: number;
}

/** Variable with the tags of all calls that a process descends from, outermost first. */
export const TAG_VARIABLE = 'SYNAPSE_CALL';
/** Whether this process was started by hands, for a call or as an MCP server. */
export function isInsideCall(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment[TAG_VARIABLE] !== undefined;
}

/** Maximum number of outer tags that are passed on. */
const MAX_NESTED = 8;

/**
 * Marks every process of a call from its start. A process can lose the variable (`env -i`, a daemon that overwrites
 * its memory, one that hides it), but not the resource limit: RLIMIT_RSS has had no effect since
 * Linux 2.4.30, is inherited by every fork and exec, can only be lowered, and is readable by all.
 */
export interface ProcessTag {
  readonly variable: string;
  /** Value of RLIMIT_RSS in bytes, as decimal text. */
  readonly limit: string;
  /** The same value in KiB, for `ulimit -m`. */
  readonly limitKib: number;
}

/** Creates the tags of one hands instance. They share a prefix, so that all its processes can be found at once. */
export class ProcessTags {
  /** Prefix of the variable of each tag. */
  readonly variablePrefix = randomBytes(9).toString('hex');
  /** The first nine digits of each limit in bytes; ten more digits follow. */
  readonly limitPrefix = randomInt(100_000_000, 900_000_000);
  #count = 0;

  next(): ProcessTag {
    // 10^10 bytes are 9,765,625 KiB. That many tags share the nine leading digits, and all limits stay below 2^63.
    this.#count = (this.#count + 1) % 9_765_625;
    const limitKib = this.limitPrefix * 9_765_625 + this.#count;
    return { variable: `${this.variablePrefix}${this.#count.toString(36).padStart(5, '0')}`, limit: String(BigInt(limitKib) * 1024n), limitKib };
  }
}

/** Returns the value of the tag variable. A nested call keeps the outer tags, so that the outer call can end it. */
export function tagValue(tag: ProcessTag, inherited: string | undefined): string {
  const outer = inherited === undefined ? [] : inherited.split(',').slice(-MAX_NESTED);
  return [...outer, tag.variable].join(',');
}

/** Whether a process carries a tag. */
export function isTagged(pid: number, tag: ProcessTag): boolean {
  return readProcessFile(pid, 'limits')?.includes(tag.limit) === true || readProcessFile(pid, 'environ')?.includes(tag.variable) === true;
}

/** How to harden a process. */
export interface Hardening {
  readonly tag: ProcessTag;
  /** The file to write to in order to join a control group. */
  readonly cgroupProcs?: string | undefined;
  readonly limits?: ProcessLimits | undefined;
  /** Takes this step. Default: a shell. */
  readonly launcher?: CompiledLauncher | undefined;
}

/** Builds the command line that starts another one hardened and tagged by its limit: see `harden.sh`. */
export function hardenedArgv(argv: Argv, { tag, cgroupProcs = '', limits, launcher }: Hardening): Argv {
  const numbers = limits === undefined ? ['', '', ''] : [limits.memoryKib, limits.cpuSeconds, limits.fileBlocks].map(String);
  const words = [String(tag.limitKib), cgroupProcs, ...numbers];
  const start: Argv = launcher === undefined ? ['/bin/sh', '-c', PROGRAMS['harden.sh'], 'sh'] : [launcher.program, 'harden'];
  return [...start, ...words, ...argv];
}

/** Linux `O_CLOEXEC` (asm-generic/fcntl.h), as `fdinfo` shows it. */
const CLOSES_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

type Stream = Exclude<StdioOptions, string>[number];

/**
 * Lists the descriptors above the standard streams that a child would inherit. Node closes all of its own on exec, and
 * some of those that it was started with. It does not close, for example, a lock that the calling shell holds with
 * `exec 200>file`: through it, a command reaches that file even if its sandbox hides it.
 */
function inheritable(): number[] {
  let numbers: number[];
  try {
    numbers = readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Not Linux: they cannot be listed.
    return [];
  }
  return numbers.filter((number) => {
    if (number <= LAST_STANDARD) return false;
    try {
      const flags = /^flags:\s+(?<flags>[0-7]+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.groups?.['flags'] ?? '0';
      return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
    } catch {
      // Already closed, like the descriptor that read the folder.
      return false;
    }
  });
}

let found: { readonly descriptors: readonly number[]; readonly nothing: number } | undefined;

/** Returns the inherited descriptors. They do not change, so they are listed once. */
function inherited(): NonNullable<typeof found> {
  if (found !== undefined) return found;
  const descriptors = inheritable();
  return (found = { descriptors, nothing: descriptors.length === 0 ? -1 : openSync('/dev/null', 'r') });
}

/**
 * Returns the stdio option for a child in which descriptors that this process inherited lead nowhere. Every child is
 * started with it. Node can neither close them in a child nor mark them, so the null device replaces them.
 *
 * @param streams the streams for the child, from descriptor 0 on
 */
export function closedStdio(streams: readonly Stream[]): Stream[] {
  const { descriptors, nothing } = inherited();
  const all = [...streams];
  for (const descriptor of descriptors) {
    if (descriptor < streams.length) continue;
    // Descriptors in between are not opened.
    while (all.length < descriptor) all.push('ignore');
    all[descriptor] = nothing;
  }
  return all;
}
