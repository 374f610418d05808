import { closeSync, readFileSync, readSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Argv } from '../launch/launch-steps.ts';
import { PROGRAMS } from '../launch/programs.ts';
import type { InheritedHandle } from '../process/processes.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import type { Mount } from './bubblewrap-arguments.ts';
import { openNameless } from './run-files.ts';

/** Temporary folders, which every command has for itself. Programs keep files of their own there. */
const SCRATCH: ReadonlySet<string> = new Set(['/tmp', '/var/tmp', '/run']);
/** Folders that tool chains make in a home folder by themselves: Go, R, NLTK, scikit-learn. */
const MADE_BY_TOOLS: ReadonlySet<string> = new Set(['go', 'R', 'nltk_data', 'scikit_learn_data']);
/** Maximum number of entries outside the workspace to report. */
const MAX_LOST = 5;
/** Bytes for the counts and the paths of these entries. */
const MAX_BYTES = 8 * 1024;

/** An address of another machine. With one, `curl -s` fails without any output. */
const FAR_ADDRESS = /\b(?:https?|ftp|ssh|git):\/\/(?!localhost\b|127\.|\[::1\])/u;
/** Whether a command line names an address of another machine. What the network refused it then also matters if it succeeds. */
export const namesOtherMachine = (argv: readonly string[]): boolean => argv.some((word) => FAR_ADDRESS.test(word));

/** When it is counted what the network refused. */
interface NetworkCounts {
  /** Whether others used the network before: the counters of a new one are zero. */
  readonly isShared: boolean;
  /** The ends of a command after which it is counted. */
  readonly ends: 'all' | 'failures' | 'none';
}

/** A path of a command line that leads up, as a shell ends words. */
const UPWARD = /(?<=^|[\s'"`=:;&|<>(])(?:\.\/)*\.\.\/[^\s'"`;&|<>()$*?{}\\]+/gu;
/** Maximum number of words to look at. */
const MAX_WORDS = 100;

/**
 * The entries of temporary folders that a command line names by a path from the workspace up, such as `../x` for a workspace in `/tmp`.
 * They are meant to last, unlike those of `/tmp/x` or `mktemp`.
 *
 * @param cwd absolute
 * @param root the workspace: what is in it lasts
 */
export function namedAbove(argv: readonly string[], cwd: string, root: string): ReadonlySet<string> {
  const named = new Set<string>();
  for (const [word] of (argv.at(-1) ?? '').matchAll(UPWARD).take(MAX_WORDS)) {
    const path = resolve(cwd, word);
    if (path === root || path.startsWith(`${root}/`)) continue;
    for (let at = path; at !== '/'; at = dirname(at)) if (SCRATCH.has(dirname(at))) named.add(at);
  }
  return named;
}

/**
 * The folders above the workspace that are private to a command, and its home folder: what it writes there seems to have worked, and ends with
 * it. Programs keep files of their own in temporary folders, and hidden ones in the home folder.
 *
 * @param named the only entries of temporary folders that count: see {@link namedAbove}
 */
export function privateFolders(mounts: readonly Mount[], root: string, home: string | undefined, named: ReadonlySet<string>): string[] {
  const scratch = new Set([...named].map((path) => dirname(path)));
  const kinds = new Map(mounts.map(({ path, kind }) => [path, kind]));
  const kindAt = (path: string): Mount['kind'] | undefined => kinds.get(path) ?? (path === '/' ? undefined : kindAt(dirname(path)));
  const found: string[] = [];
  for (let above = dirname(root); above !== '/'; above = dirname(above)) {
    if (kindAt(above) === 'private' && (!SCRATCH.has(above) || scratch.has(above))) found.push(above);
  }
  // First, as the fewest programs write there.
  return [...new Set([...(home === undefined ? [] : [home]), ...found])];
}

/**
 * The same entries while a command still runs: one that is ended has no time to report them. Reads only names, through the root of
 * one of its processes; what is mounted there is not the command's.
 */
export function lostSoFar(
  running: readonly ProcessEntry[],
  mounts: readonly Mount[],
  root: string,
  home: string | undefined,
  named: ReadonlySet<string>,
): string[] {
  const ours = [root, ...mounts.map(({ path }) => path)];
  const folders = privateFolders(mounts, root, home, named);
  const isMeant = (folder: string, name: string): boolean => {
    const path = `${folder}/${name}`;
    if ((folder === home && name.startsWith('.')) || (SCRATCH.has(folder) && !named.has(path))) return false;
    return !MADE_BY_TOOLS.has(name) && !ours.some((mount) => mount === path || mount.startsWith(`${path}/`));
  };
  for (const { pid } of running) {
    const found = folders.flatMap((folder) => namesIn(pid, folder).flatMap((name) => (isMeant(folder, name) ? [`${folder}/${name}`] : [])));
    if (found.length > 0) return found.slice(0, MAX_LOST);
  }
  return [];
}

/**
 * The names in a folder that is private to a process; none if it is the folder of the user, which the first processes of a sandbox still see.
 * The path of a folder leads through folders that the command can replace, and an absolute link below the root of another process
 * leads to this machine. So no link is followed, and what is listed is what was compared.
 */
function namesIn(pid: number, folder: string): string[] {
  try {
    using cursor = new TreeCursor(`/proc/${pid}/root`);
    for (const name of folder.split('/').slice(1)) cursor.enter(name);
    const [inside, outside] = [statSync(cursor.self), statSync(folder, { throwIfNoEntry: false })];
    if (inside.ino === outside?.ino && inside.dev === outside.dev) return [];
    return cursor.names().filter((name) => typeof name === 'string');
  } catch (error) {
    // The process has ended, it has no such folder, or a link is in its place.
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** Folders where it counts what a command leaves: see {@link privateFolders}. */
interface CountedFolders {
  readonly folders: readonly string[];
  /** The one where hidden names do not count: programs keep their own files there. */
  readonly home: string | undefined;
  /** The only entries of temporary folders that count. */
  readonly named: ReadonlySet<string>;
}

const NO_FOLDERS: CountedFolders = { folders: [], home: undefined, named: new Set() };

/** The counts of one run. */
export interface RunCounts extends Disposable {
  /** The handle that the command must inherit. */
  readonly handle: InheritedHandle;
  /** Wraps the command inside the sandbox: see `count.sh`. @param descriptor of the handle there */
  wrap(argv: Argv, descriptor: number, network: NetworkCounts, folders?: CountedFolders): Argv;
  /** What it left in these places. */
  lost(): readonly string[];
  /** Number of processes that it left running; undefined if the command was killed before they were counted. */
  leftRunning(): number | undefined;
  /**
   * Number of times that the network refused it; 0 if it was not counted.
   *
   * @param running the processes of a command that still runs
   */
  refused(running?: readonly ProcessEntry[]): number;
}

/** Opens the counts for one run. */
export function openRunCounts(): RunCounts {
  const descriptor = openNameless();
  // A call looks at the counts until its changes are applied. By then the descriptor may belong to another file.
  let last: readonly string[] | undefined;
  let counted: ReadonlySet<string> = new Set();
  const lines = (): readonly string[] => {
    if (last !== undefined) return last;
    const room = Buffer.alloc(MAX_BYTES);
    return room
      .toString('utf8', 0, readSync(descriptor, room, 0, room.length, 0))
      .split('\n')
      .slice(0, -1);
  };
  const read = (): ReadonlyArray<number | undefined> => lines().map((line) => (/^\d{1,10}$/u.test(line) ? Number(line) : undefined));
  return {
    handle: { descriptor },
    wrap: (argv, inside, { isShared, ends }, { folders, home, named } = NO_FOLDERS) => {
      counted = named;
      const network = [isShared ? 'yes' : 'no', ends];
      // Temporary folders have many entries that do not count: only those that do are looked at.
      const whole = folders.filter((place) => !SCRATCH.has(place));
      const single = [...named].filter((path) => folders.includes(dirname(path)));
      const places = [...whole.map((place) => `${place}/`), ...single];
      const most = MAX_LOST + MADE_BY_TOOLS.size * whole.length;
      const names = [String(most), home === undefined ? '' : `${home}/`, String(places.length), ...places];
      return ['/bin/sh', '-c', PROGRAMS['count.sh'], 'sh', String(inside), ...network, ...names, ...argv];
    },
    leftRunning: () => read()[2],
    lost: () =>
      lines()
        .slice(3)
        .filter((path) => (SCRATCH.has(dirname(path)) ? counted.has(path) : !MADE_BY_TOOLS.has(basename(path))))
        .slice(0, MAX_LOST),
    refused(running) {
      const [before, after] = read();
      const now = running === undefined ? after : refusedNow(running);
      return before === undefined || now === undefined ? 0 : now - before;
    },
    [Symbol.dispose]() {
      last ??= lines();
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

/** Parses the same counters as `count.sh`: the 12th of IP is OutNoRoutes, the 2nd of UDP is NoPorts (RFC 4293, RFC 4113). */
export function refusedIn(counts: string): number {
  const value = (protocol: string, index: number): number =>
    Number(new RegExp(`^${protocol}: (\\d.*)$`, 'mu').exec(counts)?.[1]?.split(' ')[index - 1] ?? 0);
  return value('Ip', 12) + value('Udp', 2);
}
