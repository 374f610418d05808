import { closeSync, openSync, readFileSync, readlinkSync, readSync, readdirSync } from 'node:fs';
import { readlink, stat } from 'node:fs/promises';
import type { RunningTree } from './processes.ts';
import { MAX_WHOLE_BYTES } from './whole-read-limit.ts';

/** Numbers of system calls (asm/unistd_64.h, asm-generic/unistd.h), and which argument has the path or the descriptor. */
type Calls = Readonly<Record<number, 'path' | 'second path' | 'descriptor'>>;
const CALLS: Partial<Readonly<Record<NodeJS.Architecture, Calls>>> = {
  // open, openat, openat2; read, pread64, readv.
  x64: { 2: 'path', 257: 'second path', 437: 'second path', 0: 'descriptor', 17: 'descriptor', 19: 'descriptor' },
  arm64: { 56: 'second path', 437: 'second path', 63: 'descriptor', 67: 'descriptor', 65: 'descriptor' },
};
/** Maximum bytes of a path (PATH_MAX in linux/limits.h). */
const MAX_PATH_BYTES = 4096;
/** Maximum number of threads that are looked at. A helper has some ten. */
const MAX_THREADS = 256;

/** Reads a string of another process; undefined if it has ended or belongs to another user. */
function stringAt(pid: string, address: number): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/mem`, 'r');
    const bytes = Buffer.alloc(MAX_PATH_BYTES);
    const got = readSync(descriptor, bytes, 0, bytes.length, address);
    const end = bytes.subarray(0, got).indexOf(0);
    return end === -1 ? undefined : bytes.toString('utf8', 0, end);
  } catch {
    // The page after the string is not mapped, or the process has ended.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The system call in which a thread is, as `/proc/PID/syscall` tells; undefined while it runs. */
function callOf(thread: string): string | undefined {
  try {
    const line = readFileSync(`${thread}/syscall`, 'latin1');
    return line.startsWith('running') ? undefined : line;
  } catch {
    // It has ended, or the kernel does not tell.
    return undefined;
  }
}

/** A file that a thread opens or reads, as the thread reaches it. */
interface Use {
  /** The same as long as the thread opens or reads the same. */
  readonly key: string;
  readonly thread: string;
  /** As the process names it. */
  readonly named: string | undefined;
  /** Its path for this process. */
  readonly path: string;
}

function useOf(pid: string, thread: string): Use | undefined {
  const line = callOf(thread);
  const [call = '', ...values] = line?.split(' ') ?? [];
  const kind = CALLS[process.arch]?.[Number(call)];
  if (kind === undefined) return undefined;
  if (kind === 'descriptor') return { key: `${thread} ${call} ${values[0]}`, thread, named: undefined, path: `/proc/${pid}/fd/${Number(values[0])}` };
  const named = stringAt(pid, Number(values[kind === 'path' ? 0 : 1]));
  if (named === undefined || named === '') return undefined;
  // AT_FDCWD is -100; another folder is one of its descriptors.
  const folder = kind === 'path' || Number(BigInt.asIntN(32, BigInt(values[0] ?? 0))) === -100 ? 'cwd' : `fd/${Number(values[0])}`;
  return { key: `${thread} ${line}`, thread, named, path: named.startsWith('/') ? `/proc/${pid}/root${named}` : `/proc/${pid}/${folder}/${named}` };
}

/** Maximum number of open files of a process that are looked at. git has some ten. */
const MAX_OPEN = 256;

/** The files that a process has open and reads whole. A thread that runs in the kernel, copying a huge file, does not tell what it reads. */
function openWhole(pid: number, readsWhole: (path: string) => boolean): Use[] {
  const thread = `/proc/${pid}`;
  const named = (descriptor: string): string | undefined => {
    try {
      return readlinkSync(`${thread}/fd/${descriptor}`);
    } catch {
      // Closed in the meantime.
      return undefined;
    }
  };
  return descriptorsOf(pid).flatMap((descriptor): Use[] => {
    const name = named(descriptor);
    if (name?.startsWith('/') !== true || !readsWhole(name)) return [];
    return [{ key: `${thread} ${descriptor} ${name}`, thread, named: undefined, path: `${thread}/fd/${descriptor}` }];
  });
}

function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).slice(0, MAX_OPEN);
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  } catch {
    // It has ended.
    return [];
  }
}

/** The call in which each thread was when it was last looked at. */
export type Uses = ReadonlySet<string>;

/** A file that a program cannot read to its end. */
export interface UnreadableFile {
  /** As the program names it. */
  readonly path: string;
  /** Its size in bytes; undefined for a named pipe. */
  readonly bytes: number | undefined;
}

/** The kernel function in which a process waits that opens a named pipe (fs/pipe.c). */
const OPENS_PIPE = 'wait_for_partner';

function opensPipe(thread: string): boolean {
  try {
    return readFileSync(`${thread}/wchan`, 'latin1') === OPENS_PIPE;
  } catch {
    // It has ended, or the kernel does not tell.
    return false;
  }
}

async function judge({ thread, named, path }: Use, readsWhole: (path: string) => boolean): Promise<UnreadableFile | undefined> {
  // A link in its view of the machine may not lead there from here.
  if (named !== undefined && opensPipe(thread)) return { path: named, bytes: undefined };
  try {
    const found = await stat(path);
    const name = named ?? (await readlink(path));
    // A pipe without a name is what programs exchange data through.
    if (found.isFIFO()) return named === undefined && !name.startsWith('/') ? undefined : { path: name, bytes: undefined };
    return found.isFile() && found.size > MAX_WHOLE_BYTES && readsWhole(name) ? { path: name, bytes: found.size } : undefined;
  } catch {
    // It is gone, and so is the reason to wait.
    return undefined;
  }
}

/** The named pipe that one of these processes waits to open, as it names it; undefined if that is not known. */
export function pipeOf(processes: ReturnType<RunningTree['list']>): string | undefined {
  for (const { pid } of processes)
    for (const thread of threadsOf(pid)) {
      const use = opensPipe(thread) ? useOf(String(pid), thread) : undefined;
      if (use?.named !== undefined) return use.named;
    }
  return undefined;
}

/**
 * Looks at what the threads of a tree open and read. Returns the named pipe on which one has waited since the last look, or the
 * huge file that it has read since then.
 *
 * @param readsWhole whether the program reads this file whole
 */
export async function unreadableIn(
  tree: Pick<RunningTree, 'list'>,
  before: Uses,
  readsWhole: (path: string) => boolean,
): Promise<{ readonly uses: Uses; readonly found?: UnreadableFile }> {
  const processes = tree.list();
  const threads = processes.flatMap(({ pid }) => threadsOf(pid).map((thread) => [String(pid), thread] as const));
  const called = threads.slice(0, MAX_THREADS).flatMap(([pid, thread]) => useOf(pid, thread) ?? []);
  const uses = [...called, ...processes.flatMap(({ pid }) => openWhole(pid, readsWhole))];
  for (const use of uses) {
    const found = before.has(use.key) ? await judge(use, readsWhole) : undefined;
    if (found !== undefined) return { uses: new Set(), found };
  }
  return { uses: new Set(uses.map(({ key }) => key)) };
}
