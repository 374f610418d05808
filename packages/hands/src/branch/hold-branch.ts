import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { PROGRAMS } from '../launch/programs.ts';
import type { Argv } from '../launch/launch-steps.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import { workspaceId } from '../state/state-folder.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { FileLocks } from '../workspace/file-lock.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { BACK_ENDS, backEndsFor, wantedBackEnd, type BackEndName } from './back-ends.ts';
import type { BranchFolder } from './branch-folder.ts';
import type { BranchRecord } from './branch-record.ts';
import { SHARED_FOLDERS } from './branch-state.ts';
import { CLONE_LIMITS, type CloneLimits } from './clone-limits.ts';
import { outlivedHolder, type OutlivedHolder } from './outlived-holder.ts';

/** unshare, mount and mknodat by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [unshare: number, mount: number, mknodat: number]>> = {
  x64: [272, 165, 259],
  arm64: [97, 40, 33],
};

/** Milliseconds between looks at a holder that ends. */
const LOOK_MS = 2;
/** Milliseconds within which a holder that has no users ends. */
const ENDING_MS = 1_000;

/** The exit code of `branch.pl` if overlays do not work. */
const NO_OVERLAY = 2;
/** Maximum characters of what it says. */
const MAX_SAID = 200;

/** What holding a branch requires. */
export interface HoldParts {
  readonly stateFolder: string;
  readonly locks: FileLocks;
  readonly signal: AbortSignal;
  /** The only way to keep the branch that is tried if nothing is changed in it. Default: that of the environment, else the best that works */
  readonly backEnd?: BackEndName;
  /** The largest workspace that is cloned. Default: {@link CLONE_LIMITS} */
  readonly cloneLimits?: CloneLimits;
}

/** A way to keep branches that did not work. */
export interface TriedBackEnd {
  readonly name: BackEndName;
  readonly problem: string;
}

/** A mounted branch. It stays mounted until the last user has disposed it or has ended. */
export interface HeldBranch extends Disposable {
  /** Keeps the branch mounted, for a process that inherits it. */
  readonly descriptor: number;
  /** How it is kept; undefined if another process had mounted it. */
  readonly backEnd: BackEndName | undefined;
  /** The better ways, which did not work here. */
  readonly tried: readonly TriedBackEnd[];
  /** Wraps a command line so that it runs in the branch, in a folder. */
  enter(argv: Argv, folder: string): Argv;
  /** The path of a folder of the branch, for programs outside it. */
  path(folder: string): string;
}

/**
 * Mounts a branch, or joins the process that holds it.
 *
 * @throws SynapseError `unavailable` if branches do not work here
 */
export async function holdBranch(folder: BranchFolder, record: BranchRecord, parts: HoldParts): Promise<HeldBranch> {
  const nsenter = systemProgram('nsenter');
  if (nsenter === undefined) throw noBranches('nsenter is missing');
  // Two holders would write to one layer.
  return await parts.locks.hold([lockOf(folder)], parts.signal, async () => {
    // It was deleted while this waited.
    if (!existsSync(folder.record)) throw new SynapseError('not_found', `Branch not found: ${record.name}`);
    if (existsSync(folder.applying)) throw interrupted(record.name);
    if (!hasAllLayers(folder)) throw interrupted(record.from ?? '');
    const joined = await join(folder, parts.signal);
    const { descriptor, backEnd, tried } = joined === undefined ? await start(folder, record, parts) : { ...NOT_STARTED, descriptor: joined };
    const [pid = ''] = holderOf(folder).split(' ');
    return {
      descriptor,
      backEnd,
      tried,
      enter: (argv, at) => enterArgv(nsenter, pid, argv, at),
      path: (at) => `/proc/${pid}/root${at}`,
      [Symbol.dispose]: () => closeSync(descriptor),
    };
  });
}

/** The lock of a branch: while it is held, no process begins to use the branch. */
export const lockOf = (folder: BranchFolder): string => `branch ${folder.path}`;

/** Whether a branch is mounted: by a process that uses it, or that has just ended to. */
export function isHeld(folder: BranchFolder): boolean {
  const descriptor = openPipe(folder);
  if (descriptor === undefined) return isRunning(holderOf(folder)) === true || outlivedHolder(folder).length > 0;
  closeSync(descriptor);
  return true;
}

/** Waits until a branch that is not used is not mounted any more; returns whether it came to that. */
export async function isReleased(folder: BranchFolder, signal: AbortSignal): Promise<boolean> {
  for (const end = performance.now() + ENDING_MS; isRunning(holderOf(folder)) === true;) {
    if (performance.now() > end) return false;
    await delay(LOOK_MS, undefined, { signal });
  }
  return outlivedHolder(folder).length === 0;
}

function enterArgv(nsenter: string, pid: string, argv: Argv, at: string): Argv {
  // For others than root, mounts need a user namespace. Root has one only in a container that forbids mounts.
  const hasOwnUser = readlinkSync(`/proc/${pid}/ns/user`) !== readlinkSync('/proc/self/ns/user');
  const user = hasOwnUser ? ['--user', '--preserve-credentials'] : [];
  return [nsenter, '--target', pid, ...user, '--mount', '--', '/bin/sh', '-c', PROGRAMS['enter-branch.sh'], 'sh', at, ...argv];
}

function holderOf(folder: BranchFolder): string {
  try {
    return readFileSync(folder.holder, 'utf8');
  } catch {
    // Missing, or something else has its name, which mounting reports.
    return '';
  }
}

/** Opens the pipe for writing; undefined if the holder does not read it. */
function openPipe(folder: BranchFolder): number | undefined {
  try {
    const descriptor = openSync(folder.held, constants.O_WRONLY | constants.O_NONBLOCK);
    // Anything may have its name, and any program may read it.
    if (fstatSync(descriptor).isFIFO() && isRunning(holderOf(folder)) === true) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    // Missing, without a reader, which was killed, or a folder.
    if (['ENOENT', 'ENXIO', 'EISDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Joins the holder that runs; undefined if there is none. A holder that is about to end is waited for: it may stay. */
async function join(folder: BranchFolder, signal: AbortSignal): Promise<number | undefined> {
  for (;;) {
    const descriptor = openPipe(folder);
    if (descriptor !== undefined) return descriptor;
    if (isRunning(holderOf(folder)) !== true) return undefined;
    await delay(LOOK_MS, undefined, { signal });
  }
}

interface Started {
  readonly descriptor: number;
  readonly backEnd: BackEndName | undefined;
  readonly tried: readonly TriedBackEnd[];
}

const NOT_STARTED = { backEnd: undefined, tried: [] };

/** Mounts a branch in the best way that works. */
async function start(folder: BranchFolder, record: BranchRecord, parts: HoldParts): Promise<Started> {
  const [left] = outlivedHolder(folder);
  if (left !== undefined) throw leftBehind(record.name, left);
  if (!existsSync(record.root)) throw workspaceGone(folder, record);
  const { stateFolder, signal, cloneLimits: limits = CLONE_LIMITS, backEnd: wanted = wantedBackEnd() } = parts;
  const tried: TriedBackEnd[] = [];
  for (const name of backEndsFor({ folder }, wanted)) {
    const { shows, prepare } = BACK_ENDS[name];
    const problem = await prepare({ folder, record, stateFolder, limits, signal });
    const mounted = problem ?? (await mount(folder, record, shows, parts));
    if (typeof mounted === 'number') return { descriptor: mounted, backEnd: name, tried };
    tried.push({ name, problem: mounted });
  }
  throw noBranches(
    tried.map(({ name, problem }) => `${name}: ${problem}`).join('; '),
    tried.some(({ name }) => BACK_ENDS[name].shows === 'clone'),
  );
}

/** Returns the descriptor of a mounted branch, or why overlays do not work. */
async function mount(
  folder: BranchFolder,
  { root, audit }: BranchRecord,
  shows: 'overlay' | 'clone',
  { stateFolder, signal }: HoldParts,
): Promise<number | string> {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (process.platform !== 'linux' || perl === undefined || calls === undefined)
    throw noBranches(perl === undefined ? 'perl is missing' : 'it needs Linux');
  const shown = [...SHARED_FOLDERS.flatMap((name) => [name, name]), `audit/${audit}`, `audit/${workspaceId(root)}`];
  const holder = spawn(perl, ['-e', PROGRAMS['branch.pl'], ...calls.map(String), shows, folder.path, root, stateFolder, ...shown], {
    cwd: '/',
    // Without it, perl warns about a locale that is not installed.
    env: { PERL_BADLANG: '0', PATH: '/usr/bin:/bin' },
    // It outlives this process if others use the branch.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(holder.stderr);
  try {
    await Promise.race([once(holder.stdout, 'data', { signal }), once(holder, 'close', { signal })]);
  } catch (error) {
    holder.kill('SIGKILL');
    throw error;
  }
  holder.unref();
  const descriptor = holder.exitCode === null && holder.signalCode === null ? openPipe(folder) : undefined;
  if (descriptor !== undefined) return descriptor;
  const why = (await said).trim().slice(0, MAX_SAID);
  if (holder.exitCode === NO_OVERLAY) return why.replace(/^overlay: /u, '');
  throw noBranches(why || 'the program that mounts them ended');
}

/** Without a layer, files of the branch that this one is based on would be missing in it. */
function hasAllLayers({ layers }: BranchFolder): boolean {
  return layers.every((layer) => existsSync(layer));
}

function interrupted(name: string): SynapseError {
  return new SynapseError('busy', `Synapse was ended while it applied the branch ${name}.`, {
    hint: `To finish that or take it back: synapse branch diff ${name}`,
    retryable: true,
  });
}

/** The error for a branch in which a process still works after its holder was killed. */
export function leftBehind(name: string, { pid, name: program }: OutlivedHolder): SynapseError {
  return new SynapseError('busy', `What held the branch ${name} was killed, and process ${pid} (${program}) still works in it.`, {
    hint: `End that process first: kill ${pid}`,
    retryable: true,
  });
}

/** The error for a branch whose workspace was moved or deleted. */
function workspaceGone({ clone, upper }: BranchFolder, { root }: BranchRecord): SynapseError {
  return new SynapseError('unavailable', `The branch cannot be mounted: its workspace is not there any more: ${root}`, {
    hint: `Put the workspace back. What was changed in the branch is kept: ${existsSync(clone) ? clone : upper}`,
  });
}

function noBranches(why: string, wasCloned = false): SynapseError {
  return new SynapseError('unavailable', `The branch cannot be mounted: ${why}.`, {
    hint: wasCloned
      ? 'Move what is large out of the workspace, or use file systems with overlays or reflinks: docs/branches.md says what each way needs.'
      : 'Branches need Linux with namespaces: synapse doctor shows what is missing.',
  });
}
